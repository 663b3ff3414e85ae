from modelport import main

main()
