# One service: PART is erp, desk or agent. The pins are a layer of their own, so that a change in the sources costs seconds.
# pip asks whatever index it is told to: PIP_INDEX_URL and PIP_EXTRA_INDEX_URL as build arguments, none is written here.
ARG BASE=python:3.13-slim
FROM ${BASE} AS packages
# wheels carry debug symbols: a quarter of an image
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends binutils >/dev/null
ARG PART
ARG PIP_INDEX_URL
ARG PIP_EXTRA_INDEX_URL
COPY requirements/${PART}.txt /pins.txt
RUN python -m venv --without-pip /opt/venv \
 && python -m pip --python /opt/venv/bin/python install --no-cache-dir --no-deps --require-hashes --only-binary :all: -r /pins.txt \
 && find /opt/venv -type d \( -name tests -o -name test \) -prune -exec rm -rf {} + \
 && find /opt/venv -name '*.pyx' -delete -o -name '*.pxd' -delete -o -name '*.c' -delete -o -name '*.pyi' -delete \
 && find /opt/venv -name '*.so*' -type f -exec strip --strip-unneeded {} +

FROM ${BASE}
ARG PART
RUN groupadd --gid 1000 deskworld \
 && useradd --uid 1000 --gid 1000 --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin deskworld
COPY --from=packages /opt/venv /opt/venv
COPY infra/images/healthy.py /usr/local/bin/healthy
COPY services/${PART}/src /opt/deskworld
COPY services/kit/src /opt/kit
# where volumes are mounted: a volume takes the owner of the folder that it is first mounted on
RUN install -d -o 1000 -g 1000 -m 700 /var/mail-state && install -d -o 1000 -g 1000 /var/mail-certificate \
 && if [ "${PART}" = agent ]; then rm -rf /opt/kit/*; fi \
 && chmod 755 /usr/local/bin/healthy && /opt/venv/bin/python -m compileall -q /opt/deskworld /opt/kit
ENV PATH=/opt/venv/bin:/usr/local/bin:/usr/bin:/bin \
    PYTHONPATH=/opt/deskworld:/opt/kit \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    MALLOC_ARENA_MAX=2 \
    DESKWORLD_PART=${PART}
USER 1000:1000
WORKDIR /tmp
# what it asks stands in HEALTHY, addresses of doors of this container; without any, that the program runs
# who was well is asked again after 20 s: a look costs a twentieth of a second of a processor
HEALTHCHECK --interval=3s --timeout=30s --start-period=60s --retries=5 \
  CMD test -e /tmp/well && sleep 20; healthy && touch /tmp/well || { rm -f /tmp/well; exit 1; }
STOPSIGNAL SIGTERM
CMD ["/bin/sh", "-c", "exec python -m deskworld_${DESKWORLD_PART}"]
