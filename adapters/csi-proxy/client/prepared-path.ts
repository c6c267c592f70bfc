// Paths as kubelet hands them out, made into paths that a server takes: servers do not do it themselves.

/** `/` becomes `\`, and what then begins with `\` is on drive C: `/var/lib/kubelet` is `c:\var\lib\kubelet`. */
export function preparedPath(path: string): string {
  const separated = path.replaceAll('/', '\\');
  return separated.startsWith('\\') ? `c:${separated}` : separated;
}
