# The documentation is made into pages by tools that running does not need.
FROM python:3.11-slim-bookworm AS guide
WORKDIR /src
COPY requirements/build.txt requirements/guide.txt requirements/
RUN pip install --no-cache-dir --require-hashes -r requirements/build.txt -r requirements/guide.txt
COPY mkdocs.yml ./
COPY docs/ docs/
COPY solvers/ solvers/
RUN NO_MKDOCS_2_WARNING=1 PYTHONPATH=. mkdocs build --quiet --strict

# The environment is built in the next stage and copied whole into the last,
# which has neither a compiler nor pip's caches.
FROM python:3.11-slim-bookworm AS build
WORKDIR /src
COPY requirements/build.txt requirements/cluster.txt requirements/
RUN python -m venv /opt/demur \
 && /opt/demur/bin/pip install --no-cache-dir --require-hashes -r requirements/build.txt -r requirements/cluster.txt
COPY pyproject.toml README.md LICENSE ./
COPY app/ app/
COPY --from=guide /src/app/guide/ app/guide/
COPY solvers/ solvers/
COPY migrations/ migrations/
RUN /opt/demur/bin/pip install --no-cache-dir --no-deps --no-build-isolation . \
 && /opt/demur/bin/python -m compileall -q /opt/demur/lib

FROM python:3.11-slim-bookworm
COPY --from=build /opt/demur /opt/demur
# A named volume takes the owner of the folder that it is mounted over.
RUN install -d -o 10001 -g 10001 /data
ENV PATH=/opt/demur/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    DEMUR_DATA_DIR=/data \
    DEMUR_HOST=0.0.0.0 \
    DEMUR_PORT=8000
USER 10001:10001
WORKDIR /data
EXPOSE 8000
HEALTHCHECK --interval=5s --timeout=5s --start-period=30s --retries=6 \
  CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8000/readyz', timeout=4)"]
CMD ["demur", "serve"]
