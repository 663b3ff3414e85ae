#include "common/torchscript/lint/operator_kinds.h"

#include "absl/container/flat_hash_set.h"
#include "absl/strings/strip.h"

namespace modelport {
namespace {

using Names = absl::flat_hash_set<absl::string_view>;

bool Contains(const Names& names, absl::string_view name) {
  return absl::ConsumePrefix(&name, "aten::") && names.contains(name);
}

}  // namespace

bool WantsOneDtype(absl::string_view name) {
  static const auto* const names = new Names{
      "_convolution",
      "addbmm",
      "addmm",
      "addmv",
      "baddbmm",
      "batch_norm",
      "bilinear",
      "bmm",
      "cdist",
      "chain_matmul",
      "conv1d",
      "conv2d",
      "conv3d",
      "conv_transpose1d",
      "conv_transpose2d",
      "conv_transpose3d",
      "convolution",
      "cross",
      "dot",
      "einsum",
      "grid_sampler",
      "grid_sampler_2d",
      "grid_sampler_3d",
      "group_norm",
      "gru",
      "index_add",
      "index_copy",
      "index_put",
      "index_put_",
      "inner",
      "instance_norm",
      "layer_norm",
      "lerp",
      "linalg_cross",
      "linalg_multi_dot",
      "linalg_vecdot",
      "linear",
      "lstm",
      "masked_scatter",
      "matmul",
      "mm",
      "mv",
      "prelu",
      "put",
      "rnn_relu",
      "rnn_tanh",
      "scaled_dot_product_attention",
      "scatter",
      "scatter_",
      "scatter_add",
      "scatter_add_",
      "scatter_reduce",
      "tensordot",
      "vdot",
  };
  return Contains(*names, name);
}

bool TakesTwoDevices(absl::string_view name) {
  static const auto* const names = new Names{"copy_", "index", "index_put", "index_put_", "to", "type_as"};
  return Contains(*names, name);
}

bool LacksHalf(absl::string_view name) {
  static const auto* const names = new Names{
      "cholesky",
      "det",
      "geqrf",
      "inverse",
      "linalg_cholesky",
      "linalg_cholesky_ex",
      "linalg_cond",
      "linalg_det",
      "linalg_eig",
      "linalg_eigh",
      "linalg_eigvals",
      "linalg_eigvalsh",
      "linalg_inv",
      "linalg_inv_ex",
      "linalg_ldl_factor",
      "linalg_lstsq",
      "linalg_lu",
      "linalg_lu_factor",
      "linalg_matrix_exp",
      "linalg_matrix_rank",
      "linalg_pinv",
      "linalg_qr",
      "linalg_slogdet",
      "linalg_solve",
      "linalg_solve_ex",
      "linalg_solve_triangular",
      "linalg_svd",
      "linalg_svdvals",
      "logdet",
      "lstsq",
      "matrix_exp",
      "nanquantile",
      "pinverse",
      "qr",
      "quantile",
      "slogdet",
      "svd",
      "symeig",
      "triangular_solve",
  };
  return Contains(*names, name);
}

bool GivesIntegers(absl::string_view name) {
  static const auto* const names = new Names{
      "__and__",      "__or__",      "all",          "any",          "argmax",  "argmin",      "argsort",
      "bitwise_and",  "bitwise_not", "bitwise_or",   "bucketize",    "eq",      "ge",          "gt",
      "isclose",      "isfinite",    "isinf",        "isnan",        "le",      "logical_and", "logical_not",
      "logical_or",   "logical_xor", "lt",           "ne",           "nonzero", "randint",     "randperm",
      "searchsorted", "signbit",     "tril_indices", "triu_indices",
  };
  return Contains(*names, name);
}

bool PicksElements(absl::string_view name) {
  static const auto* const names = new Names{
      "embedding",   "gather",        "index", "index_put",      "index_select",
      "masked_fill", "masked_select", "take",  "take_along_dim",
  };
  return Contains(*names, name);
}

bool TakesDtypeOfNumbers(absl::string_view name) {
  static const auto* const names = new Names{"arange", "as_tensor", "full", "range", "tensor"};
  return Contains(*names, name);
}

}  // namespace modelport
