#!/bin/bash
# Checks that plugin_test_main fails for plugins that are damaged or missing.
set -u
program=registry/plugin_test_program
plugins=$TEST_TMPDIR/models
cp -rL models "$plugins" && chmod -R u+w "$plugins" || exit 1
failures=0
unset XML_OUTPUT_FILE  # The program's own tests are not this test's.

# expect STATUS NAME TEXT ARGUMENT...: the test with these arguments ends with STATUS and says TEXT.
expect() {
  local status=$1 name=$2 text=$3
  shift 3
  "$program" "$@" >"$TEST_TMPDIR/out" 2>&1
  local got=$?
  if ((got != status)) || ! grep -qF -- "$text" "$TEST_TMPDIR/out"; then
    echo "FAILED: $name: wants status $status and \"$text\", has $got and:"
    cat "$TEST_TMPDIR/out"
    failures=$((failures + 1))
  fi
}

large=(dinov2_vitg14 dinov2_vitg14_reg dinov2_vitl14 dinov2_vitl14_reg)
expect 0 "a family with variants" "[  PASSED  ] 6 tests." dinov2 "$plugins/dinov2" "${large[@]}"
expect 1 "large variants that are not listed" 'large = ["dinov2_vitg14", "dinov2_vitg14_reg", ' dinov2 "$plugins/dinov2"
expect 0 "a family of shared layers" "[  PASSED  ] 6 tests." layers "$plugins/layers"
mkdir "$TEST_TMPDIR/none"
expect 1 "a folder without plugin" "no plugin.yaml" dinov2 "$TEST_TMPDIR/none"
expect 1 "another family's folder" "names another family than its BUILD file" dinov2 "$plugins/layers"

own=$TEST_TMPDIR/own
mkdir -p "$own/pets" "$own/paws"
printf 'family: paws\nsummary: used by pets\n' >"$own/paws/plugin.yaml"
printf 'family: pets\nsummary: uses a plugin that is not built in\nuses: [paws]\n' >"$own/pets/plugin.yaml"
expect 0 "a plugin that is not built in is used" "[  PASSED  ] 6 tests." pets "$own/pets,$own/paws"
expect 1 "the used plugin is not named" 'unknown family "paws"' pets "$own/pets"

sed -i 's/shape("cls_token")/shape("cls_tokens")/' "$plugins/dinov2/plugin.yaml"
expect 1 "a misspelt slot" "no variant of DinoVisionTransformer has a slot cls_tokens" dinov2 "$plugins/dinov2" "${large[@]}"
sed -i 's/shape("cls_tokens")/shape("cls_token")/' "$plugins/dinov2/plugin.yaml"

sed -i 's/^family: dinov2$/family: dinov/' "$plugins/dinov2/plugin.yaml"
expect 1 "a misspelt family" "" dinov2 "$plugins/dinov2"
sed -i 's/^family: dinov$/family: dinov2/' "$plugins/dinov2/plugin.yaml"
sed -i 's/^extends: dinov2$/extends: layers/' "$plugins/dinov2/testdata/plugin.yaml"
expect 1 "a test plugin of another family" "" dinov2 "$plugins/dinov2"

printf 'functions:\n  - |\n    def uncalled(x: Tensor) -> Tensor:\n      return torch.no_such_operator(x)\n' >"$plugins/layers/broken.yaml"
expect 1 "a function that nothing calls does not compile" "no_such_operator" layers "$plugins/layers"

echo "modules: {Broken(: {}}" >"$plugins/layers/broken.yaml"
expect 1 "layers that do not parse" "broken.yaml" layers "$plugins/layers"

((failures == 0))
