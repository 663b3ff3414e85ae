"""The committed goldens."""

# The variants of the catalog that have some. The folders of test variants are named in //tests.
COMMITTED = [
    "da3_base",
    "da3_small",
    "da3metric_large",
    "da3mono_large",
    "dav2_metric_hypersim_vits",
    "dav2_vits",
    "demo_depth",
    "dinov2_vits14",
    "dinov2_vits14_dd_nyu",
    "dinov2_vits14_lc1",
    "dinov2_vits14_lc4",
    "dinov2_vits14_ld1_nyu",
    "dinov2_vits14_ld4_nyu",
    "dinov2_vits14_reg",
    "dinov2_vits14_reg_lc1",
    "dinov2_vits14_reg_lc4",
    "moge2_vitb_normal",
    "moge2_vitl_normal",
    "moge2_vits_normal",
    "resnet18",
    "resnet50",
    "resnext50_32x4d",
    "vitmatte_b_com",
    "vitmatte_s_com",
]
