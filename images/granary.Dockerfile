# The image of the storage node, the super-peer and the command line.
# images/build lays out what is copied: runtime/ (Java), granary/ (users, programs, an empty data folder),
# aot/ (AOT caches of Java).
ARG BASE=debian:bookworm-slim
FROM ${BASE}
COPY runtime/ /
COPY granary/ /
COPY aot/ /
COPY --chown=65532:65532 granary/var/lib/granary /var/lib/granary
ENV PATH=/opt/granary/bin:/opt/jre/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    JAVA_HOME=/opt/jre LANG=C.UTF-8
USER 65532:65532
WORKDIR /var/lib/granary
ENTRYPOINT ["/opt/granary/bin/granary"]
