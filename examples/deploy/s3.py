"""Serve S3 from memory on port 5000, with one bucket."""

import http.client
import threading
import time

from moto.server import ThreadedMotoServer  # in the image of s3.Dockerfile

PORT, BUCKET = 5000, "demur"

server = ThreadedMotoServer(ip_address="0.0.0.0", port=PORT)  # noqa: S104 # a container
server.start()
made = http.client.HTTPConnection("127.0.0.1", PORT)
while True:
    try:
        made.request("PUT", f"/{BUCKET}")
        made.getresponse().read()
        break
    except OSError:
        time.sleep(0.2)
threading.Event().wait()
