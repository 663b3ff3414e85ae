#!/bin/bash
# Draws the pictures of docs/gallery.md again: ./bazelw run //docs/pictures:draw_gallery
set -euo pipefail
programs=$PWD
out=$BUILD_WORKSPACE_DIRECTORY/docs/pictures
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
unset BUILD_WORKING_DIRECTORY

"$programs/docs/pictures/draw_scene" scene.png --size=315x210
# predict MODEL [FLAG]...
predict() { "$programs/tools/predict/predict" --model="$1" --input=scene.png "${@:2}"; }
predict demo_depth --out="$out/depth.png" --side_by_side
predict demo_depth --out=metres.png
"$programs/docs/pictures/draw_points" metres.png scene.png "$out/points.png"

"$programs/docs/pictures/draw_scene" scene.png --size=150x100
cp scene.png "$out/small.png"
predict demo_upscale --out="$out/larger.png"

"$programs/docs/pictures/draw_scene" "$out/before.png" --size=150x100
"$programs/docs/pictures/draw_scene" "$out/after.png" --size=150x100 --time=1
predict demo_between --input="$out/before.png,$out/after.png" --between=1 --out="$out/between.png"

# Noise, which a PNG cannot make small, tells no more in a large picture.
"$programs/docs/pictures/draw_scene" scene.png --size=210x140 --trimap=trimap.png
predict moge2_vits_normal --weights=seeded --size=1200 --out="$out/normals.png" --normals
predict dinov2_vits14 --weights=seeded --out="$out/features.png"
predict vitmatte_s_com --weights=seeded --trimap=trimap.png --out="$out/matte.png"
predict resnet18 --weights=seeded

# README.md's picture, of docs/pictures/scene.png, and what is right.
"$programs/docs/pictures/draw_scene" scene.png --depth="$out/exact.png"
predict demo_depth --out="$out/predict.png" --side_by_side
