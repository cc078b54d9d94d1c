"""Run by the environment of `make charts`: lint and render the chart, check manifests.

Reads a list of values from standard input; prints, for each, what Helm's linter finds,
the manifests, and what is wrong with them by the schemas of Kubernetes.
"""

import json
import sys

import helm_python as helm
import kubernetes_validate
import yaml

OF_OTHERS = "keda.sh/"
"""Kinds whose schema Kubernetes does not have."""


def rendered(folder: str, values: dict) -> dict:
    found = helm.lint(folder, values, strict=True)
    with helm.Chart.load(folder) as chart:
        try:
            chart.validate_schema(values)
            files = chart.render(values, name="r", namespace="n")
        except helm.HelmError as error:
            return {"refused": str(error)}
    texts = [text for name, text in files.items() if name.endswith(".yaml")]
    manifests = [one for text in texts for one in yaml.safe_load_all(text) if one]
    faults = []
    for one in manifests:
        if one["apiVersion"].startswith(OF_OTHERS):
            continue
        try:
            kubernetes_validate.validate(one, "1.31", strict=True)
        except kubernetes_validate.ValidationError as error:
            faults.append(f"{one['kind']} {one['metadata']['name']}: {error.message}")
    return {"manifests": manifests, "faults": [*found["errors"], *faults]}


def main() -> None:
    told = [rendered(sys.argv[1], values) for values in json.load(sys.stdin)]
    json.dump(told, sys.stdout, default=str)


main()
