#!/usr/bin/env bash
# Against the running compose stack: train through the published port, predict, restart the api, predict the same,
# then use the other parts once each. After it the second stack: two APIs, two workers, an object store and a Dask cluster, one of each killed.
# `compose` is a function that the caller exports.
set -euo pipefail
python=.venv/bin/python
$python .ci/check_stack.py before
compose restart api
$python .ci/check_stack.py after
$python .ci/check_stack.py tour

export DEMUR_PUBLISH_PORT_1=18081 DEMUR_PUBLISH_PORT_2=18082
many() { /usr/bin/docker compose -p demur-many -f examples/deploy/docker-compose.yml "$@"; }
trap 'many down -v --timeout 5 >/dev/null 2>&1' EXIT
compose stop --timeout 5 >/dev/null 2>&1
many build objects >/dev/null 2>&1
many up -d --no-build --pull never --wait --wait-timeout 600 >/dev/null 2>&1 || { many ps -a; many logs --tail 20; exit 1; }
$python .ci/check_many.py before
many kill api-1 worker-1 dask-worker-1 >/dev/null 2>&1
$python .ci/check_many.py after || { many logs --tail 40; exit 1; }
