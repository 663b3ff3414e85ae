#include "tests/runtime/cases.h"

namespace modelport {
namespace {

using Texts = std::vector<std::string>;

ArtifactCase Features(const std::string& model) {
  return {model,
          "libtorch",
          {"forward 1,3,28,28", "forward_features 1,3,14,42", "get_intermediate_layers 2,3,42,28 0,1 true true true"},
          {}};
}

ArtifactCase Image(const std::string& model) {
  return {model, "libtorch", {"forward 1,3,28,28", "forward 1,3,14,42", "forward 2,3,42,28"}, {}};
}

ArtifactCase OneView(const std::string& model) {
  return {model, "libtorch", {"forward 1,1,3,28,28", "forward 1,1,3,14,42", "forward 2,1,3,42,28"}, {}};
}

ArtifactCase Classifier(const std::string& model) {
  return {model,
          "libtorch",
          {"forward 1,3,64,64", "forward 2,3,49,75", "feature_levels 1,3,33,70", "image_classes 2,3,64,45"},
          {}};
}

// The fourth call passes cameras.
ArtifactCase Views(const std::string& model) {
  return {model,
          "libtorch",
          {"forward 1,1,3,28,28", "forward 1,3,3,14,42", "forward 2,2,3,42,28", "forward 1,2,3,28,42 1,2,4,4 1,2,3,3"},
          {}};
}

// Prepares images: shrunk, enlarged, in uint8 and floating. Each is of one or more views if `views` is "1," or the
// like.
ArtifactCase Images(const std::string& model, const std::string& views = "") {
  ArtifactCase artifact = {model, "libtorch", {}, {}};
  artifact.with_preprocess = true;
  for (const char* image : {"3,31,45 42", "3,90,61 28"}) {
    artifact.calls.push_back("forward 1," + views + image);
    artifact.calls.push_back("forward uint8:1," + views + image);
  }
  return artifact;
}

ArtifactCase ImageFeatures(const std::string& model) {
  ArtifactCase artifact = {model, "libtorch", {"forward 2,3,31,45", "forward uint8:2,3,90,61"}, {}};
  artifact.calls.insert(artifact.calls.end(), {"image_features 1,3,31,45 42", "image_features uint8:1,3,90,61 28"});
  artifact.with_preprocess = true;
  return artifact;
}

ArtifactCase ClassifierOfImages(const std::string& model) {
  ArtifactCase artifact = {model, "libtorch", {"forward 2,3,31,45", "forward uint8:2,3,90,61"}, {}};
  artifact.with_preprocess = true;
  return artifact;
}

// The last call also asks for features, Gaussians and cameras from rays.
ArtifactCase ViewsAndAll(const std::string& model) {
  ArtifactCase artifact = Views(model);
  artifact.calls.push_back("forward 1,3,3,42,42 none none 1,3 true true first");
  return artifact;
}

// Points of few tokens, and the camera that is recovered from them.
ArtifactCase Points(const std::string& model) {
  return {model,
          "libtorch",
          {"forward 1,3,28,28 4", "forward 2,3,17,45 12", "infer 1,3,30,40 20 9 true false",
           "infer 1,3,64,24 12 9 true false 60.0"},
          {}};
}

ArtifactCase PointImages(const std::string& model) {
  ArtifactCase artifact = {model, "libtorch", {}, {}};
  artifact.with_preprocess = true;
  for (const char* image : {"3,31,45 12 0.0 false", "3,90,61 20 60.0 false"}) {
    artifact.calls.push_back(std::string("forward 1,") + image);
    artifact.calls.push_back(std::string("forward uint8:1,") + image);
  }
  return artifact;
}

// Of images of 28 x 28 pixels, of a size smaller than its padding, and of an odd size.
ArtifactCase Nuke(const std::string& model, const Texts& knobs) {
  return {model, "nuke", {"forward 1,3,28,28", "forward 2,3,5,3", "forward 1,3,37,53"}, knobs};
}

ArtifactCase NukeFeatures(const std::string& model) { return Nuke(model, {"max_size=30", "first_channel=380"}); }

// Of at least two cells of 32 x 32 pixels: a map of one cell is constant, and rounding is all that differs in it.
ArtifactCase NukeClasses(const std::string& model) {
  return {.model = model,
          .target = "nuke",
          .calls = {"forward 1,3,28,60", "forward 2,3,5,39", "forward 1,3,37,53"},
          .knobs = {"max_size=40", "class_index=7", "probability=0"},
          .wrapper = "classes"};
}

// Sets convention=2, a reciprocal for relative depth, after normalize only: the reciprocal of values near 0 is mostly
// rounding.
ArtifactCase NukeDepth(const std::string& model) {
  return Nuke(model, {"max_size=30", "convention=1", "normalize=1", "convention=2"});
}

ArtifactCase NukeMetres(const std::string& model) {
  return Nuke(model, {"max_size=30", "focal=500", "convention=1", "normalize=1", "convention=2"});
}

// An image with its trimap.
ArtifactCase Matte(const std::string& model) {
  return {model, "libtorch", {"forward 1,3,64,64 1,1,64,64", "forward 2,3,50,75 2,1,50,75"}, {}};
}

ArtifactCase MatteImages(const std::string& model) {
  ArtifactCase artifact = {model, "libtorch", {"forward uint8:1,3,31,45 uint8:1,1,31,45"}, {}};
  artifact.with_preprocess = true;
  return artifact;
}

// The trimap is in alpha.
ArtifactCase NukeMatte(const std::string& model) {
  return {model, "nuke", {"forward 1,4,28,28", "forward 2,4,5,3", "forward 1,4,37,53"}, {"max_size=30"}};
}

// With the weights used here, every pixel's sky value in float64 is at least 0.0047 from the threshold: three times the
// error of half precision.
ArtifactCase WithHalfWeights(ArtifactCase artifact, const std::string& weights) {
  artifact.half_weights = weights;
  return artifact;
}

}  // namespace

std::vector<std::string> Steps(const ArtifactCase& artifact) {
  Texts steps = artifact.calls;
  for (const std::string& knob : artifact.knobs) steps.insert(steps.end(), {knob, artifact.calls.back()});
  return steps;
}

void PrintTo(const ArtifactCase& artifact, std::ostream* os) {
  *os << artifact.model << "_" << (artifact.with_preprocess ? "images" : artifact.target)
      << (artifact.wrapper.empty() ? "" : "_") << artifact.wrapper;
}

std::vector<ArtifactCase> ArtifactCases() {
  return {
      Features("dinov2_vits14"),
      NukeFeatures("dinov2_vits14"),
      Features("dinov2_vits14_reg"),
      NukeFeatures("dinov2_vits14_reg"),
      Image("dav2_vits"),
      NukeDepth("dav2_vits"),
      Image("dav2_metric_hypersim_vits"),
      NukeDepth("dav2_metric_hypersim_vits"),
      Image("dav2_metric_vkitti_vits"),
      NukeDepth("dav2_metric_vkitti_vits"),
      Views("da3_small"),
      NukeDepth("da3_small"),
      ViewsAndAll("tiny_any"),
      NukeDepth("tiny_any"),
      OneView("tiny_mono"),
      WithHalfWeights(NukeDepth("tiny_mono"), "seeded:111"),
      OneView("tiny_metric"),
      WithHalfWeights(NukeMetres("tiny_metric"), "seeded:111"),
      Views("tiny_nested"),
      WithHalfWeights(NukeDepth("tiny_nested"), "seeded:28"),
      Matte("tiny_vitmatte"),
      NukeMatte("tiny_vitmatte"),
      MatteImages("tiny_vitmatte"),
      Classifier("tiny_resnet"),
      NukeFeatures("tiny_resnet"),
      NukeClasses("tiny_resnet"),
      Classifier("tiny_resnet_bottleneck"),
      NukeClasses("tiny_resnet_bottleneck"),
      Classifier("tiny_resnext"),
      ImageFeatures("tiny_dinov2"),
      Images("tiny_dav2"),
      Images("tiny_dav2_metric"),
      Images("tiny_any", "2,"),
      Images("tiny_mono", "1,"),
      Images("tiny_nested", "2,"),
      Points("tiny_moge"),
      Points("tiny_moge_points"),
      PointImages("tiny_moge"),
      NukeDepth("tiny_moge"),
      ClassifierOfImages("tiny_resnet"),
  };
}

}  // namespace modelport
