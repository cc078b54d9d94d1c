#!/usr/bin/env bash
# Against the running compose stack: train through the published port, predict, restart the api, predict the same,
# then use the other parts once each.
# `compose` is a function that the caller exports.
set -euo pipefail
python=.venv/bin/python
$python .ci/check_stack.py before
compose restart api
$python .ci/check_stack.py after
$python .ci/check_stack.py tour
