# A server that speaks S3, to try things on: it keeps objects in memory and asks for no real key.
FROM python:3.11-slim-bookworm
COPY requirements/objects.txt /objects.txt
RUN python -m venv /opt/s3 && /opt/s3/bin/pip install --no-cache-dir --require-hashes -r /objects.txt
COPY examples/deploy/s3.py /opt/s3/s3.py
USER 10001:10001
EXPOSE 5000
CMD ["/opt/s3/bin/python", "/opt/s3/s3.py"]
