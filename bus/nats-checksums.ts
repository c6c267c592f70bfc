// Checksums of what may be fetched as a development server, by file name. What is among them must be that, wherever it came
// from.

/** Debian's packages of nats-server, SHA-256, as its signed lists had them: bookworm's and trixie's. */
export const DEBIAN_NATS_SHA256: Readonly<Record<string, string>> = {
  'nats-server_2.9.10-1+b3_amd64.deb': '9f69ebb6f612e652382fde175622160dcd81fd97f2356f5da80bb5c3f48513dd',
  'nats-server_2.9.10-1+b3_arm64.deb': '7748c8906ffbaf4f08018c61eeeb5f5e57b4f7bd5307415a802450141b0ee8cd',
  'nats-server_2.10.27-1+b2_amd64.deb': '6d913ac987b78734c08537c2adeb1526cf735f216173a9170d94b185fcfe6f8a',
  'nats-server_2.10.27-1+b2_arm64.deb': '0c9a617510b28c1b4fb4a38aabea6ab8cd7f026247f2abdff8b955b2278ce049',
};
