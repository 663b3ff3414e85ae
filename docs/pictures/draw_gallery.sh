#!/bin/bash
# Draws the pictures of docs/gallery.md again: ./bazelw run //docs/pictures:draw_gallery
set -euo pipefail
programs=$PWD
out=$BUILD_WORKSPACE_DIRECTORY/docs/pictures
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
unset BUILD_WORKING_DIRECTORY

"$programs/docs/pictures/draw_scene" scene.png --size=252x168
# predict MODEL [FLAG]...
predict() { "$programs/tools/predict/predict" --model="$1" --input=scene.png "${@:2}"; }
predict demo_depth --out=metres.png
"$programs/docs/pictures/draw_points" metres.png scene.png "$out/points.png"

"$programs/docs/pictures/draw_scene" "$out/before.png" --size=150x100
predict demo_upscale --input="$out/before.png" --out="$out/larger.png"

"$programs/docs/pictures/draw_scene" "$out/after.png" --size=150x100 --time=1
predict demo_between --input="$out/before.png,$out/after.png" --between=1 --out="$out/between.png"

# What nodes for Nuke make, each by the artifact in its package. Those for larger images and images between make what is above.
# package PICTURE MODEL [FLAG]...
package() {
  "$programs/tools/package/package" --model="$2" --nuke=13 --out=node "${@:3}"
  cp node/*_picture.png "$out/$1.png"
  rm -r node
}
package node_depth demo_depth --picture="$out/before.png"
package node_flow demo_between --wrapper=flow --picture="$out/before.png,$out/after.png"

# Noise, which a PNG cannot make small, tells no more in a large picture.
"$programs/docs/pictures/draw_scene" scene.png --size=210x140
predict dinov2_vits14 --weights=seeded --out="$out/features.png"
"$programs/docs/pictures/draw_scene" scene.png --size=105x70 --trimap=trimap.png
predict moge2_vits_normal --weights=seeded --size=1200 --out="$out/normals.png" --normals
predict vitmatte_s_com --weights=seeded --trimap=trimap.png --out="$out/matte.png"
predict resnet18 --weights=seeded | sed -n 's/^label *//p' |
  "$programs/docs/pictures/draw_labels" scene.png "$out/labels.png" "resnet18 with SEEDED weights: predicts nothing"

# The first picture of README.md and of the gallery, of docs/pictures/scene.png, and what is right, in the same colours.
"$programs/docs/pictures/draw_scene" scene.png
range=$(predict demo_depth --out="$out/predict.png" --side_by_side | sed -n 's/^depth *\([0-9.]*\) to \([0-9.]*\), metres$/\1,\2/p')
"$programs/docs/pictures/draw_scene" scene.png --depth="$out/exact.png" --depth_range="$range"
