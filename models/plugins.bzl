"""The model families and the hosts of the catalog."""

# The model families, sorted. A new one is a folder in models/ with a BUILD file and a line here.
PLUGINS = [
    "birefnet",
    "demo_between",
    "demo_depth",
    "demo_upscale",
    "depth_anything_3",
    "depth_anything_v2",
    "dinov2",
    "dinov2_classifiers",
    "dinov2_depthers",
    "dinov3",
    "esrgan",
    "layers",
    "moge",
    "promptda",
    "resnet",
    "rife",
    "sam2",
    "sea_raft",
    "span_sr",
    "swinir",
    "transforms",
    "video_depth_anything",
    "vitmatte",
]

# The hosts that lend wrappers, sorted. Each is a folder in targets/.
HOSTS = ["nuke"]
