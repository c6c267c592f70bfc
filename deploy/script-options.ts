// Options of a script that npm runs: `--help` prints its usage and exits with 0; a wrong option prints one line and exits with 2.
import { type ParseArgsConfig, parseArgs } from 'node:util';

/**
 * Options of the command line, as `parseArgs` reads them. Does not return if there is nothing to do.
 *
 * @param usage  printed for `--help`; its first line is `Usage: npm run <name> ...`
 */
export function scriptOptions<const Config extends ParseArgsConfig>(
  usage: string,
  config: Config,
): ReturnType<typeof parseArgs<Config>> {
  const help = { type: 'boolean', short: 'h' } as const;
  try {
    const parsed = parseArgs({ ...config, options: { ...config.options, help } });
    if ((parsed.values as { readonly help?: boolean }).help !== true)
      return parsed as unknown as ReturnType<typeof parseArgs<Config>>;
  } catch (error) {
    if (!String((error as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS')) throw error;
    return refuse(`${(error as Error).message.split('. ')[0]}; --help lists the options`);
  }
  process.stdout.write(usage);
  process.exit(0);
}

/** Ends the script: it was called wrongly. @param why  one line */
export function refuse(why: string): never {
  process.stderr.write(`${why}\n`);
  process.exit(2);
}

/** @returns the value of an option, which must be a whole number above 0 */
export function wholeNumber(option: string, value: string): number {
  const number = Number(value);
  return Number.isInteger(number) && number > 0
    ? number
    : refuse(`--${option} must be a whole number above 0; got '${value}'`);
}
