# For scripts in tests/, which source it in the repository's root: the models of tests/support/examples.txt.

# example NEED [FIELD]: the model for this need, or another field of it. Fails if the table has none.
example() {
  awk -v need="need: $1" -v field="${2:-model}: " '
    /^need: / { is_case = ($0 == need) }
    is_case && index($0, field) == 1 { print substr($0, length(field) + 1); found = 1 }
    END { exit !found }' tests/support/examples.txt
}

# example_target NEED: the label of that model's artifact.
example_target() { echo "//models/$(example "$1" family):$(example "$1")"; }
