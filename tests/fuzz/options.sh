# What libFuzzer lets a fuzz target take for one input, for the scripts that run one: 10 s, an allocation of 512 MB, 2 GB in all.
options=(-timeout=10 -rss_limit_mb=2048 -malloc_limit_mb=512 -print_final_stats=1)
