// The end of the demo's output.

/** Commands to try next. @param kept  the landscape is still up */
export function nextSteps(kept: boolean): readonly string[] {
  return [
    'next:',
    ...(kept
      ? []
      : ['  npm run demo -- --keep     the same, and it stays up until Ctrl-C, to be looked at with kubectl and nats']),
    '  npm run dev                an API server, a bus and a cloud for objects of your own, which stay; then',
    '                             deploy/tutorial.md makes two of them in five minutes',
    '  npm run -s troupe -- help  all commands',
  ];
}
