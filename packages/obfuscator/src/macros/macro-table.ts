/**
 * Every macro and variable name that scripts for this and other services use. A name that has one of the
 * prefixes but is not listed here is an error; see `unknown-names.ts`.
 */

/** The effect of a macro. Several names can share one. */
export type Macro = keyof typeof RULES

/**
 * `macro`: has an effect. `ignored`: accepted with a warning because it has no meaning here. `variable`: an
 * expression on `ward`, available in server builds. `refused`: an error, with the fix in the note.
 */
type MacroKind = 'macro' | 'ignored' | 'variable' | 'refused'

/**
 * One name, with its documentation for authors. `arguments` shows how it is called; it is empty for a
 * value.
 */
export type MacroEntry = {
  readonly name: string
  readonly kind: MacroKind
  readonly arguments: string
  readonly becomes: string
  readonly note: string
}

type Rule = {
  readonly kind: 'macro' | 'ignored'
  readonly arguments: string
  readonly becomes: string
  readonly note: string
}

const FUNCTION = '(function(...) ... end)'

const RULES = {
  hot: {
    kind: 'macro',
    arguments: FUNCTION,
    becomes: 'the function',
    note: 'It keeps its loops and branches, and so do functions in it; names, strings and numbers are hidden.',
  },
  fast: {
    kind: 'macro',
    arguments: FUNCTION,
    becomes: 'the function',
    note: 'It keeps its innermost loops whole, as at balanced.',
  },
  preset: {
    kind: 'macro',
    arguments: "('balanced', function(...) ... end)",
    becomes: 'the function',
    note: 'It is protected as at light, balanced or strong. At light nothing becomes stronger.',
  },
  attributes: {
    kind: 'macro',
    arguments: '(VM(NONE))',
    becomes: 'nothing',
    note: 'At the start of a function. VM(NONE) is WARD_NO_VIRTUALIZE, PRESET(FAST), (BALANCED) and (SECURE) are light, balanced and strong of WARD_PRESET; others are ignored.',
  },
  string: {
    kind: 'macro',
    arguments: "('text')",
    becomes: 'the text',
    note: 'It is hidden, also where options or speed say otherwise. With a key and an expression: only while both are equal.',
  },
  number: {
    kind: 'macro',
    arguments: '(12345)',
    becomes: 'the number',
    note: 'It is hidden, also where options or speed say otherwise.',
  },
  buffer: {
    kind: 'macro',
    arguments: "('text')",
    becomes: 'a buffer of the text',
    note: 'The text is hidden. Only Luau has buffers.',
  },
  locked: {
    kind: 'macro',
    arguments: FUNCTION,
    becomes: 'the function',
    note: 'What it works with needs a key that only the service has. With a key and an expression: each call also needs that both are equal.',
  },
  bare: {
    kind: 'macro',
    arguments: FUNCTION,
    becomes: 'the function',
    note: 'debug.getupvalue finds nothing in it, where the host has setfenv.',
  },
  crash: {
    kind: 'macro',
    arguments: '()',
    becomes: 'an endless loop',
    note: 'No pcall leaves it.',
  },
  obfuscated: {
    kind: 'macro',
    arguments: '',
    becomes: 'true',
    note: 'It is nil in the unprotected file.',
  },
  line: {
    kind: 'macro',
    arguments: '()',
    becomes: 'a number',
    note: "The line in the author's file. The call may be left out.",
  },
  webhook: {
    kind: 'macro',
    arguments: "('https://...', { content = 'text' })",
    becomes: 'true, or false when it was not taken',
    note: 'The service keeps the address and the constant part of the table, and sends. Only in scripts that a service builds.',
  },
  clean: {
    kind: 'macro',
    arguments: "(expression, 'pattern')",
    becomes: 'a value of a message',
    note: 'Inside of the table of WARD_WEBHOOK: the service sends only while the pattern matches the whole value.',
  },
  version: {
    kind: 'ignored',
    arguments: '',
    becomes: "'Scriptward'",
    note: 'There is no version of the other tool.',
  },
  same: {
    kind: 'ignored',
    arguments: '(x)',
    becomes: 'its first argument',
    note: 'It asks for nothing that is done here.',
  },
  assumed: {
    kind: 'ignored',
    arguments: '(x)',
    becomes: 'its first argument',
    note: 'It asks for nothing that is done here. It may be a statement.',
  },
  run: {
    kind: 'ignored',
    arguments: '(function() ... end)',
    becomes: 'a call of the function',
    note: 'It runs where it stands, not before the script.',
  },
  slots: {
    kind: 'ignored',
    arguments: '(8)',
    becomes: '{}',
    note: 'An empty table: it has none of the methods of the other tool.',
  },
  yes: { kind: 'ignored', arguments: '()', becomes: 'true', note: 'The caller is not checked.' },
  nothing: { kind: 'ignored', arguments: '()', becomes: 'nothing', note: 'The call is left out.' },
} as const satisfies Readonly<Record<string, Rule>>

const MACROS: readonly (readonly [macro: Macro, names: string])[] = [
  ['hot', 'WARD_NO_VIRTUALIZE LPH_NO_VIRTUALIZE WYNF_NO_VIRTUALIZE'],
  ['fast', 'WARD_JIT LPH_JIT LPH_JIT_MAX LPH_JIT_ULTRA WYNF_JIT WYNF_JIT_MAX'],
  ['preset', 'WARD_PRESET'],
  ['attributes', 'LPH_ATTRIBUTES'],
  ['string', 'WARD_ENCSTR LPH_ENCSTR LPH_STRENC WYNF_ENC_STRING'],
  ['number', 'WARD_ENCNUM LPH_ENCNUM LPH_NUMENC WYNF_ENC_NUM'],
  ['buffer', 'WARD_ENCBUF LPH_ENCBUF LPH_BUFENC'],
  ['locked', 'WARD_ENCFUNC LPH_ENCFUNC LPH_FUNCENC WYNF_ENC_FUNC WYNF_ENC_FUNCTION WYNF_ENC_FUNC_SEED'],
  ['bare', 'WARD_NO_UPVALUES LPH_NO_UPVALUES WYNF_NO_UPVALUES'],
  ['crash', 'WARD_CRASH LPH_CRASH WYNF_CRASH'],
  ['obfuscated', 'WARD_OBFUSCATED LPH_OBFUSCATED WYNF_OBFUSCATED'],
  ['line', 'WARD_LINE LPH_LINE WYNF_LINE'],
  ['webhook', 'WARD_WEBHOOK LRM_SEND_WEBHOOK L7_SEND_WEBHOOK'],
  ['clean', 'WARD_CLEAN LRM_SANITIZE L7_SANITIZE'],
  ['version', 'LPH_VERSION'],
  ['same', 'LPH_REWRITE LPH_OPAQUE LPH_HOOK_FIX WYNF_SECURE_CALL WYNF_SECURE_CALLBACK'],
  ['assumed', 'LPH_ASSUME'],
  ['run', 'LPH_PRECHECK LRM_INIT_SCRIPT'],
  ['slots', 'LPH_STACKALLOC'],
  ['yes', 'WYNF_IS_CALLER_WYNFUSCATE'],
  ['nothing', 'WYNF_BEGIN_CLIENT_LINES'],
]

/** True for keys that expire. For all others, `ward.seconds_left()` is `math.huge`. */
const ENDS = 'ward.seconds_left() < 1e300'

/** The expression on `ward` and its description, by variable name. */
const VARIABLES: Readonly<Record<string, readonly [lua: string, note: string]>> = {
  LRM_IsUserPremium: ['ward.is_premium', 'Whether there is a valid key.'],
  LRM_LinkedDiscordID: ["ward.chat_id or ''", 'The chat account, empty without one.'],
  LRM_ScriptName: ['ward.script_name', 'The name of the script.'],
  LRM_ScriptVersion: ["ward.script_version .. ''", 'The version of the script, as a text.'],
  LRM_TotalExecutions: ['ward.executions', 'Runs of this key, this one included.'],
  LRM_SecondsLeft: ['ward.seconds_left()', 'Counted down; math.huge for a key that never ends.'],
  LRM_UserNote: ["ward.note or ''", 'The note of the key, empty without one.'],
  L7_LinkedDiscordID: ["ward.chat_id or ''", 'The chat account, empty without one.'],
  L7_ScriptName: ['ward.script_name', 'The name of the script.'],
  L7_ScriptVersion: ["ward.script_version .. ''", 'The version of the script, as a text.'],
  L7_TotalExecutions: ['ward.executions', 'Runs of this key, this one included.'],
  L7_SecondsLeft: [
    `${ENDS} and ward.seconds_left() or 'Lifetime'`,
    "Counted down; 'Lifetime' for a key that never ends.",
  ],
  L7_UserNote: ["ward.note or ward.is_premium and '' or 'FFA'", "The note of the key; 'FFA' without a key."],
  la_is_premium: ['ward.is_premium', 'Whether there is a valid key.'],
  la_executions: ['ward.executions', 'Runs of this key, this one included.'],
  la_discord_id: ['ward.chat_id', 'The chat account, or nil.'],
  la_seconds_left: [`${ENDS} and ward.seconds_left() or nil`, 'Counted down; nil for a key that never ends.'],
  la_user_note: ['ward.note', 'The note of the key, or nil.'],
  la_script_name: ['ward.script_name', 'The name of the script.'],
  la_exists: ['true', 'Branches for the unprotected file are left out.'],
  la_supports_sessions: ['ward.supports_sessions', 'Whether messages of the owner can reach this run.'],
  la_handle: ['ward.handle', 'Says what is done with messages of the owner.'],
  JD_IS_PREMIUM: ['ward.is_premium', 'Whether there is a valid key.'],
  JD_IsPremium: ['ward.is_premium', 'Whether there is a valid key.'],
  JD_EXPIRES_AT: [
    'os.time() + ward.seconds_left()',
    'In seconds since 1970; math.huge for a key that never ends.',
  ],
  JD_DISCORD_ID: ['ward.chat_id', 'The chat account, or nil.'],
  JD_REASON: ["ward.is_premium and 'Key validation' or 'Keyless'", 'Why the script runs.'],
}

/** What to do instead, by name. */
const REFUSED: Readonly<Record<string, string>> = {
  JD_CREATED_AT: 'scripts do not learn when a key was made: keep it in the note of the key',
  WYNF_GET_RNG: 'there is no seed of the build: write a number of your own',
  WYNF_GET_RNG_SEED: 'there is no seed of the build: write a number of your own',
}

/** Names with one of these prefixes belong to Scriptward or to another service. */
export const PREFIXES = ['WARD_', 'LPH_', 'LRM_', 'L7_', 'la_', 'JD_', 'WYNF_'] as const

const BY_NAME: ReadonlyMap<string, Macro> = new Map(
  MACROS.flatMap(([macro, names]) => names.split(' ').map((name) => [name, macro] as const)),
)

/** The complete table, starting with Scriptward's own names. */
export const macroTable: readonly MacroEntry[] = [
  ...[...BY_NAME].map(([name, macro]): MacroEntry => ({ name, ...RULES[macro] })),
  ...Object.entries(VARIABLES).map(
    ([name, [becomes, note]]): MacroEntry => ({ name, kind: 'variable', arguments: '', becomes, note }),
  ),
  ...Object.entries(REFUSED).map(
    ([name, note]): MacroEntry => ({ name, kind: 'refused', arguments: '', becomes: 'a complaint', note }),
  ),
]

export function macroNamed(name: string): Macro | null {
  return BY_NAME.get(name) ?? null
}

export function ruleOf(macro: Macro): Rule {
  return RULES[macro]
}

/** The Lua expression on `ward` for a variable; null for any other name. */
export function variableNamed(name: string): string | null {
  return Object.hasOwn(VARIABLES, name) ? (VARIABLES[name]?.[0] ?? null) : null
}

/** Why a name is rejected and what to use instead; null for any other name. */
export function refusalOf(name: string): string | null {
  return Object.hasOwn(REFUSED, name) ? (REFUSED[name] ?? null) : null
}
