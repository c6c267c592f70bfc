// Light and dark: as the system has it, until the user chooses.

const KEY = 'troupe-theme';

export function turnTheme(): void {
  const { dataset } = document.documentElement;
  const shown = dataset['theme'] ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
  const theme = shown === 'dark' ? 'light' : 'dark';
  dataset['theme'] = theme;
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // Without storage it holds until the page is closed.
  }
}

export function readTheme(): void {
  try {
    const theme = localStorage.getItem(KEY);
    if (theme === 'light' || theme === 'dark') document.documentElement.dataset['theme'] = theme;
  } catch {
    // As above.
  }
}
