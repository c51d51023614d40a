/** Messages for presets and obfuscator options. The API's own text is shown for options that are not listed here. */

type PresetText = {
  readonly benefit: string
  readonly use: string
  /** Run time and size relative to the source, from the measurements in `docs/obfuscator.md`. */
  readonly runTime: string
  readonly size: string
}

const PARTS = {
  cold: 'Main chunk, outside loops',
  warm: 'Main chunk and functions, outside loops',
  hot: 'Everywhere',
}

export const protectionText = {
  byDefault: 'Default',
  runTime: 'Run time',
  size: 'Size',
  measured:
    'Relative to the source. Run time was measured on Lua 5.1, LuaJIT and Luau, and size with 100 KB of source code.',
  guide: 'How to choose a preset',
  presets: {
    light: {
      benefit: 'Hides names, strings, numbers and globals, but not how the code works.',
      use: 'For free scripts.',
      runTime: '1.04–1.05×',
      size: 'up to 1.4×',
    },
    balanced: {
      benefit: 'Also virtualizes code outside innermost loops.',
      use: 'For scripts that are compute-heavy throughout, such as a physics engine.',
      runTime: '1.3–1.5×',
      size: 'up to 2.2×',
    },
    strong: {
      benefit: 'Virtualizes all code.',
      use: 'For anything you sell.',
      runTime: '3.9–4.6×',
      size: 'up to 4.5×',
    },
    max: {
      benefit:
        "Also encrypts code with keys that aren't in the output: strings that the script compares values with, and keys that only the server has.",
      use: 'For secrets that only a run with a valid key may unlock. Requires native tostring, pcall, string.gsub and table.concat functions.',
      runTime: '4.0–4.6×',
      size: 'up to 4.5×',
    },
  } as Readonly<Record<string, PresetText>>,
  options: {
    'hide-globals': 'Hide globals',
    'lock-values': 'Lock values',
    integrity: 'Check integrity',
    virtualize: 'Virtualize code',
    'encode-numbers': 'Encode numbers',
    'encrypt-strings': 'Encrypt strings',
    'split-data': 'Separate data from code',
  } as Readonly<Record<string, string>>,
  hints: {
    'hide-globals.reach': 'Where globals are hidden.',
    'encrypt-strings.fields': 'Where field names are encrypted.',
    dialect:
      "Language of the source. Garry's Mod adds !=, &&, ||, !, continue and C comments. FiveM is Lua 5.4 with +=, `hash`, a?.b, local x in t, { .x } and C comments.",
  } as Readonly<Record<string, string>>,
  choices: {
    dialect: { any: 'Lua 5.1, LuaJIT or Luau', gmod: "Garry's Mod", fivem: 'FiveM' },
    'hide-globals.reach': PARTS,
    'encrypt-strings.fields': { none: 'Nowhere', ...PARTS },
    'integrity.natives': { none: 'None', core: 'Core', all: 'All' },
    'virtualize.strategy': { balanced: 'Balanced', strong: 'Strong' },
    'virtualize.hot-loops': { never: 'Never', 2: '2 nested loops', 3: '3 nested loops', 4: '4 nested loops' },
  } as Readonly<Record<string, Readonly<Record<string, string>>>>,
}
