# ClawFeed in a container; compose.yaml and compose.postgres.yaml run it, docs/operating.md tells how.
# The Python our tests run with; a mirror's image or one with its digest can stand in.
ARG PYTHON_IMAGE=python:3.11-slim-bookworm

FROM ${PYTHON_IMAGE} AS build
WORKDIR /opt/clawfeed
COPY requirements.lock ./
# Without pip inside: what runs needs none. Only what the lock names by its hash, and nothing that
# would run code of its own while it is installed.
RUN python -m venv --without-pip .venv \
 && pip --python .venv/bin/python install --no-cache-dir --disable-pip-version-check \
    --require-hashes --only-binary :all: -r requirements.lock
COPY scripts/install_command.sh scripts/
COPY src src
RUN sh scripts/install_command.sh .venv src

FROM ${PYTHON_IMAGE}
# A number nobody else has, so that a file of the volume has one owner wherever it is looked at.
RUN groupadd --system --gid 10001 clawfeed \
 && useradd --system --uid 10001 --gid 10001 --no-create-home --home-dir /var/lib/clawfeed \
    --shell /usr/sbin/nologin clawfeed \
 && install --directory --owner=clawfeed --group=clawfeed --mode=0700 /var/lib/clawfeed
# Owned by root: ClawFeed can read its code and not change it.
COPY --from=build /opt/clawfeed/.venv /opt/clawfeed/.venv
COPY --from=build /opt/clawfeed/src /opt/clawfeed/src
COPY LICENSE /opt/clawfeed/
# Inside a container 127.0.0.1 is the container alone; who may come in is decided where its port
# is published.
ENV PATH=/opt/clawfeed/.venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    DIGEST_HOST=0.0.0.0 \
    DIGEST_PORT=8767
USER 10001:10001
# The database is data/clawfeed.db in here, unless DATABASE_URL says otherwise.
WORKDIR /var/lib/clawfeed
VOLUME /var/lib/clawfeed
EXPOSE 8767
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
    CMD ["python", "-c", "import http.client, os, sys; c = http.client.HTTPConnection('127.0.0.1', int(os.environ['DIGEST_PORT']), timeout=4); c.request('GET', '/readyz'); sys.exit(c.getresponse().status != 200)"]
ENTRYPOINT ["clawfeed"]
CMD ["run"]
