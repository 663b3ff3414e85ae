#!/bin/sh
# Fails if two tables differ, and shows where.
exec diff "$1" "$2"
