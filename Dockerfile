# Troupe as an image: `docker build -t troupe:0.1.0 .`
FROM node:24.21.0-bookworm-slim AS build
WORKDIR /troupe
COPY package.json package-lock.json .npmrc ./
COPY deploy/link-node.mjs deploy/
# Node is in the image already, so the packages that bring it are left out.
RUN npm ci --omit=dev --omit=optional
COPY actors actors
COPY adapters adapters
COPY bus bus
COPY machines machines
COPY LICENSE ./

FROM node:24.21.0-bookworm-slim
# What a start needed in buffers goes back to the system: glibc would keep some 60 MB of it in its arenas.
ENV NODE_ENV=production MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072 MALLOC_TRIM_THRESHOLD_=131072
COPY --from=build /troupe /troupe
USER 65532:65532
ENTRYPOINT ["node", "/troupe/actors/cli.js"]
CMD ["run"]
