// A terminal as far as the demo needs one, and its pictures one after another as an SVG that plays without scripts.
//
// What it does not do: scroll regions, wide characters, or any sequence but moves up, clearing, colors and bold.

/** Text in one style. */
export interface Run {
  readonly text: string;
  /** Parameters of the sequence that began it, such as `32`; empty: plain. */
  readonly style: string;
}

export type Line = readonly Run[];

export interface Screenshot {
  readonly lines: readonly Line[];
  readonly atMs: number;
}

const ESCAPE = '\u{1b}';
/** A sequence that is not whole. */
const BEGUN = new RegExp(`${ESCAPE}(?:\\[[0-9;?]*)?$`);
/** A sequence or a character. */
const PIECES = new RegExp(`(${ESCAPE}\\[([0-9;?]*)([A-Za-z]))|([\\s\\S])`, 'gu');

interface Cell {
  readonly character: string;
  readonly style: string;
}

export class Terminal {
  readonly #columns: number;
  readonly #rows: number;
  #lines: Cell[][] = [[]];
  #row = 0;
  #column = 0;
  #style = '';
  #rest = '';

  constructor(columns: number, rows: number) {
    this.#columns = columns;
    this.#rows = rows;
  }

  write(chunk: string): void {
    const text = this.#rest + chunk;
    // A sequence that is not whole yet waits for the next chunk.
    const [open = ''] = BEGUN.exec(text) ?? [];
    this.#rest = open;
    const whole = text.slice(0, text.length - open.length);
    for (const [, sequence, parameters = '', command = '', character = ''] of whole.matchAll(PIECES)) {
      if (sequence !== undefined) this.#obey(command, parameters);
      else if (character === '\n') {
        this.#row += 1;
        this.#column = 0;
      } else if (character === '\r') this.#column = 0;
      else this.#put(character);
    }
  }

  #put(character: string): void {
    if (this.#column >= this.#columns) {
      this.#row += 1;
      this.#column = 0;
    }
    const line = this.#line();
    while (line.length < this.#column) line.push({ character: ' ', style: '' });
    line[this.#column] = { character, style: this.#style };
    this.#column += 1;
  }

  #line(): Cell[] {
    while (this.#lines.length <= this.#row) this.#lines.push([]);
    return this.#lines[this.#row] as Cell[];
  }

  #obey(command: string, parameters: string): void {
    if (command === 'A') this.#row = Math.max(0, this.#row - Number(parameters || 1));
    else if (command === 'K') this.#clearLine();
    else if (command === 'J') {
      this.#clearLine();
      this.#lines.length = this.#row + 1;
    } else if (command === 'm') this.#style = parameters === '0' ? '' : parameters;
  }

  /** From the cursor on. */
  #clearLine(): void {
    const line = this.#line();
    line.length = Math.min(line.length, this.#column);
  }

  /** The last rows, as they are seen. */
  lines(): readonly Line[] {
    this.#line();
    const last = this.#lines.length;
    return this.#lines.slice(Math.max(0, last - this.#rows), last).map(runsOf);
  }
}

function runsOf(cells: readonly Cell[]): Line {
  const runs: { text: string; style: string }[] = [];
  for (const { character, style } of cells) {
    const last = runs.at(-1);
    if (last?.style === style) last.text += character;
    else runs.push({ text: character, style });
  }
  return runs;
}

const [CHARACTER, LINE, MARGIN, BAR] = [7.8, 18, 16, 30] as const;
const COLORS: Readonly<Record<string, string>> = {
  '31': '#ff7b72',
  '32': '#56d364',
  '33': '#e3b341',
  '34': '#79b8ff',
  '35': '#d2a8ff',
  '36': '#76e3ea',
  '37': '#c9d1d9',
  '90': '#8b949e',
};

/** @param columns  of the terminal @param label  for people who do not see it */
export function svgOf(
  shots: readonly Screenshot[],
  { columns, rows, label, lastMs }: { columns: number; rows: number; label: string; lastMs: number },
): string {
  const [width, height] = [Math.ceil(columns * CHARACTER) + 2 * MARGIN, rows * LINE + 2 * MARGIN + BAR];
  const known = new Map<string, string>();
  const defined: string[] = [];
  /** A line that is seen in several pictures is kept once. */
  const idOf = (line: Line): string => {
    const text = line.map(({ text: part, style }) => spanOf(part, style)).join('');
    const id = known.get(text) ?? `l${known.size.toString(36)}`;
    if (!known.has(text)) defined.push(`<text id="${id}">${text}</text>`);
    known.set(text, id);
    return id;
  };
  const pictures = shots.map(({ lines }, index) => {
    const used = lines.map((line, row) =>
      line.every(({ text }) => text.trim() === '')
        ? ''
        : `<use href="#${idOf(line)}" y="${index * height + row * LINE}"/>`,
    );
    return `<g>${used.join('')}</g>`;
  });
  const wholeMs = (shots.at(-1)?.atMs ?? 0) + lastMs;
  const keys = shots.map(
    ({ atMs }, index) => `${((atMs / wholeMs) * 100).toFixed(2)}%{transform:translateY(${-index * height}px)}`,
  );
  const last = `translateY(${-(shots.length - 1) * height}px)`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(label)}">
<style>
text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#e6edf3;white-space:pre}
${Object.entries(COLORS)
  .map(([code, color]) => `.c${code}{fill:${color}}`)
  .join('')}.c1{font-weight:700}
.film{animation:film ${(wholeMs / 1_000).toFixed(2)}s step-end infinite}
@keyframes film{${keys.join('')}}
@media (prefers-reduced-motion:reduce){.film{animation:none;transform:${last}}}
</style>
<defs>${defined.join('')}</defs>
<rect width="${width}" height="${height}" rx="10" fill="#0d1117"/>
<circle cx="20" cy="18" r="5.5" fill="#ff5f57"/><circle cx="38" cy="18" r="5.5" fill="#febc2e"/><circle cx="56" cy="18" r="5.5" fill="#28c840"/>
<svg aria-hidden="true" x="${MARGIN}" y="${BAR}" width="${width - 2 * MARGIN}" height="${height - BAR}"><g transform="translate(0 ${LINE})"><g class="film">${pictures.join('\n')}</g></g></svg>
</svg>
`;
}

function spanOf(text: string, style: string): string {
  const names = style.split(';').filter((code) => code === '1' || Object.hasOwn(COLORS, code));
  return names.length === 0
    ? escaped(text)
    : `<tspan class="${names.map((code) => `c${code}`).join(' ')}">${escaped(text)}</tspan>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
