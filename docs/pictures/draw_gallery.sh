#!/bin/bash
# Draws the pictures of docs/gallery.md again: ./bazelw run //docs/pictures:draw_gallery
set -euo pipefail
programs=$PWD
out=$BUILD_WORKSPACE_DIRECTORY/docs/pictures
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME=$work
cd "$work"
unset BUILD_WORKING_DIRECTORY

"$programs/docs/pictures/draw_scene" scene.png --size=315x210 --trimap=trimap.png
# predict MODEL [FLAG]...
predict() { "$programs/tools/predict/predict" --model="$1" --input=scene.png "${@:2}"; }
predict demo_depth --out="$out/depth.png" --side_by_side
predict moge2_vits_normal --weights=seeded --out="$out/normals.png" --normals
predict dinov2_vits14 --weights=seeded --out="$out/features.png"
predict vitmatte_s_com --weights=seeded --trimap=trimap.png --out="$out/matte.png"
predict moge2_vits_normal --weights=seeded --points=cloud.ply
"$programs/docs/pictures/draw_points" cloud.ply "$out/points.png"
predict resnet18 --weights=seeded | tee labels.txt
