// Usage of `troupe completion`.
import type { CommandUsage } from '../command.ts';
import { COMMON } from '../options.ts';

export const completion = {
  name: 'completion',
  forms: ['bash|zsh|fish'],
  about:
    'prints a script by which the shell completes commands, options, their values and kinds; exit status: 0 done, 2 error',
  options: COMMON,
  notes: `Once for all, in the file that the shell reads at its start:
bash, ~/.bashrc:                     source <(troupe completion bash)
zsh, ~/.zshrc, below compinit:       source <(troupe completion zsh)
fish, ~/.config/fish/config.fish:    troupe completion fish | source
kubectl troupe is completed too where kubectl itself is (1.26 or later).`,
  examples: ['completion bash', 'completion fish'],
  load: () => import('./run.ts'),
} as const satisfies CommandUsage;
