# Troupe as an image: `docker build -t troupe:0.1.0 .`
#
# Both stages stand on NODE_IMAGE, any image that has Node 24 and npm. The tag says which version; what is released is built on
# the digest that the tag has on that day (.github/workflows/release.yml), which the release names.
ARG NODE_IMAGE=node:24.21.0-bookworm-slim
FROM ${NODE_IMAGE} AS build
WORKDIR /troupe
COPY package.json package-lock.json .npmrc ./
# Node is in the image already, so the packages that bring it are left out. No script runs: what is generated follows below.
# Of the viewer of API documents, what only its authors read stays out (8 MB).
RUN npm ci --omit=dev --omit=optional --ignore-scripts && rm node_modules/swagger-ui-dist/*.map
COPY actors actors
COPY adapters adapters
COPY bus bus
COPY machines machines
# What `dev` and `demo` create and serve.
COPY deploy/samples deploy/samples
COPY LICENSE ./
RUN NODE_DISABLE_COMPILE_CACHE=1 node actors/cli.js csi-proxy gen
# Compiled here for the user who runs it: a pod can write nothing, and would compile, and strip types, at each start (28 MB).
RUN mkdir compiled && chown 65532:65532 compiled
USER 65532:65532
ENV NODE_COMPILE_CACHE=/troupe/compiled
RUN node --input-type=module -e "for (const room of ['actors/cli/commands.ts', 'actors/cli/usage.ts', 'actors/process/adapters.ts', 'actors/process/run.ts']) await import('/troupe/' + room); const { makeAuthority } = await import('/troupe/adapters/kubernetes/tls/certificates.ts'); await makeAuthority('compiled', Date.now())" && chmod -R a+rX compiled

FROM ${NODE_IMAGE}
ENV NODE_ENV=production NODE_COMPILE_CACHE=/troupe/compiled
# What a start needed in buffers goes back to the system: glibc would keep some 80 MB of it in its arenas.
ENV MALLOC_ARENA_MAX=1 MALLOC_MMAP_THRESHOLD_=8192 MALLOC_TRIM_THRESHOLD_=8192
COPY --from=build /troupe /troupe
# A young generation of V8's may grow to 48 MB, and does at the first burst; a sixth of it is as fast here, and leaves a third
# less resident (test/bench/README.md).
ENV NODE_OPTIONS=--max-semi-space-size=4
USER 65532:65532
ENTRYPOINT ["node", "/troupe/actors/cli.js"]
CMD ["run"]
