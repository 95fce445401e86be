# The image of the operator.
# images/build lays out what is copied: runtime/ (Java), granary-operator/ (users, programs).
ARG BASE=debian:bookworm-slim
FROM ${BASE}
COPY runtime/ /
COPY granary-operator/ /
ENV PATH=/opt/granary-operator/bin:/opt/jre/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    JAVA_HOME=/opt/jre LANG=C.UTF-8
USER 65532:65532
WORKDIR /
ENTRYPOINT ["/opt/granary-operator/bin/granary-operator"]
