# SPDX-License-Identifier: Apache-2.0
# The stage `build` compiles the program and runs the unit tests and data cases on it; the image holds the program, the
# loader and the libraries that it asks for, and nothing else: no shell, no package manager, no user database.

FROM debian:bookworm-slim AS tools
RUN apt-get update && apt-get install -y --no-install-recommends \
	gcc libb64-dev libc6-dev libcjson-dev libcunit1-dev libcurl4-openssl-dev libfyaml-dev libgnutls28-dev \
	libmicrohttpd-dev libssl-dev \
	make pkg-config python3-jsonpatch python3-pytest \
	&& rm -rf /var/lib/apt/lists/*

FROM tools AS build
WORKDIR /src
COPY . .
RUN make -j"$(nproc)" check-core
# ldd names each library at the path where the loader will look for it, whatever the architecture.
RUN install -D -s -m 0755 build/tfconfig-webhook /image/usr/bin/tfconfig-webhook \
	&& ldd build/tfconfig-webhook | grep -o '/[^ ]*' | xargs cp -L --parents -t /image

FROM scratch
ARG VERSION=unknown
LABEL org.opencontainers.image.title="tfconfig-webhook" \
	org.opencontainers.image.description="Gives each pod of a training StatefulSet its TF_CONFIG" \
	org.opencontainers.image.licenses="Apache-2.0" \
	org.opencontainers.image.version="${VERSION}"
COPY --from=build /image /
# By number: Kubernetes checks runAsNonRoot against it, and there is no /etc/passwd to look a name up in.
USER 65532:65532
EXPOSE 8443 8080
ENTRYPOINT ["/usr/bin/tfconfig-webhook"]
