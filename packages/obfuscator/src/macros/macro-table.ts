/**
 * Every macro and variable name that scripts for Scriptward and for other services use. A name that starts
 * with one of the prefixes but is not listed here is an error; see `unknown-names.ts`.
 */

/** What a macro does. Several names can stand for the same macro. */
export type Macro = keyof typeof RULES

/**
 * `macro` has an effect. `ignored` is accepted with a warning, because it has no meaning in Scriptward.
 * `variable` becomes an expression on `ward`, which is available in server builds. `refused` is an error
 * whose note explains the fix.
 */
type MacroKind = 'macro' | 'ignored' | 'variable' | 'refused'

/**
 * One name, with its documentation for authors. `arguments` shows how to call the macro; it is empty for a
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
    note: 'Keeps loops and branches native, including those of nested functions. Names, strings and numbers are still hidden.',
  },
  fast: {
    kind: 'macro',
    arguments: FUNCTION,
    becomes: 'the function',
    note: 'Keeps innermost loops native, as at balanced.',
  },
  preset: {
    kind: 'macro',
    arguments: "('balanced', function(...) ... end)",
    becomes: 'the function',
    note: 'Protects the function as at light, balanced or strong. A build at light cannot apply the stronger ones.',
  },
  attributes: {
    kind: 'macro',
    arguments: '(VM(NONE))',
    becomes: 'nothing',
    note: 'At the start of a function. VM(NONE) equals WARD_NO_VIRTUALIZE; PRESET(FAST), (BALANCED) and (SECURE) equal WARD_PRESET with light, balanced and strong. Others are ignored.',
  },
  string: {
    kind: 'macro',
    arguments: "('text')",
    becomes: 'the string',
    note: 'Always hidden, regardless of options and performance. With a key and an expression: available only while both are equal.',
  },
  number: {
    kind: 'macro',
    arguments: '(12345)',
    becomes: 'the number',
    note: 'Always hidden, regardless of options and performance.',
  },
  vary: {
    kind: 'macro',
    arguments: '(61.25, 0.01)',
    becomes: 'a number within this distance of the first',
    note: 'Each key gets its own number, so a trace can identify the key even in a decompiled copy. Only in server builds.',
  },
  buffer: {
    kind: 'macro',
    arguments: "('text')",
    becomes: 'a buffer with the string',
    note: 'The string is hidden. Only Luau has buffers.',
  },
  locked: {
    kind: 'macro',
    arguments: FUNCTION,
    becomes: 'the function',
    note: 'Its strings and numbers need a key that only the server has. With a key and an expression: each call also requires both to be equal.',
  },
  bare: {
    kind: 'macro',
    arguments: FUNCTION,
    becomes: 'the function',
    note: 'debug.getupvalue finds nothing in it, on hosts with setfenv.',
  },
  crash: {
    kind: 'macro',
    arguments: '()',
    becomes: 'an endless loop',
    note: 'pcall cannot interrupt it.',
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
    note: "The line in the author's file. The parentheses can be omitted.",
  },
  webhook: {
    kind: 'macro',
    arguments: "('https://...', { content = 'text' })",
    becomes: 'true, or false if it was not accepted',
    note: 'The server stores the URL and the constant fields of the table, and sends the message. Only in server builds.',
  },
  clean: {
    kind: 'macro',
    arguments: "(expression, 'pattern')",
    becomes: 'a value of a message',
    note: 'Inside the table of WARD_WEBHOOK: the server sends the message only if the pattern matches the entire value.',
  },
  report: {
    kind: 'macro',
    arguments: "(problem, { place = 'shop' })",
    becomes: 'nothing',
    note: 'Reports an error that the script caught to its author, with up to 8 tags, which can be omitted. Without the server, it does nothing.',
  },
  server: {
    kind: 'macro',
    arguments: FUNCTION,
    becomes: 'a function that the server runs',
    note: 'The function, or a table, is not in the script: the server stores it, runs it and returns the result. Only in server builds.',
  },
  version: {
    kind: 'ignored',
    arguments: '',
    becomes: "'Scriptward'",
    note: 'The version of the original tool does not apply.',
  },
  same: {
    kind: 'ignored',
    arguments: '(x)',
    becomes: 'its first argument',
    note: 'It has no effect here.',
  },
  assumed: {
    kind: 'ignored',
    arguments: '(x)',
    becomes: 'its first argument',
    note: 'It has no effect here. It can be used as a statement.',
  },
  run: {
    kind: 'ignored',
    arguments: '(function() ... end)',
    becomes: 'a call of the function',
    note: 'It runs in place, not before the script.',
  },
  slots: {
    kind: 'ignored',
    arguments: '(8)',
    becomes: '{}',
    note: 'An empty table, without the methods of the original tool.',
  },
  yes: { kind: 'ignored', arguments: '()', becomes: 'true', note: 'The caller is not checked.' },
  nothing: { kind: 'ignored', arguments: '()', becomes: 'nothing', note: 'The call is removed.' },
} as const satisfies Readonly<Record<string, Rule>>

const MACROS: readonly (readonly [macro: Macro, names: string])[] = [
  ['hot', 'WARD_NO_VIRTUALIZE LPH_NO_VIRTUALIZE WYNF_NO_VIRTUALIZE'],
  ['fast', 'WARD_JIT LPH_JIT LPH_JIT_MAX LPH_JIT_ULTRA WYNF_JIT WYNF_JIT_MAX'],
  ['preset', 'WARD_PRESET'],
  ['attributes', 'LPH_ATTRIBUTES'],
  ['string', 'WARD_ENCSTR LPH_ENCSTR LPH_STRENC WYNF_ENC_STRING'],
  ['number', 'WARD_ENCNUM LPH_ENCNUM LPH_NUMENC WYNF_ENC_NUM'],
  ['vary', 'WARD_VARY'],
  ['buffer', 'WARD_ENCBUF LPH_ENCBUF LPH_BUFENC'],
  ['locked', 'WARD_ENCFUNC LPH_ENCFUNC LPH_FUNCENC WYNF_ENC_FUNC WYNF_ENC_FUNCTION WYNF_ENC_FUNC_SEED'],
  ['bare', 'WARD_NO_UPVALUES LPH_NO_UPVALUES WYNF_NO_UPVALUES'],
  ['crash', 'WARD_CRASH LPH_CRASH WYNF_CRASH'],
  ['obfuscated', 'WARD_OBFUSCATED LPH_OBFUSCATED WYNF_OBFUSCATED'],
  ['line', 'WARD_LINE LPH_LINE WYNF_LINE'],
  ['server', 'WARD_SERVER'],
  ['report', 'WARD_REPORT'],
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

/** A condition that is true for keys that expire. For other keys, `ward.seconds_left()` is `math.huge`. */
const ENDS = 'ward.seconds_left() < 1e300'

/**
 * Maps variable names to the expression on `ward` that replaces the variable, and a description of the
 * variable.
 */
const VARIABLES: Readonly<Record<string, readonly [lua: string, note: string]>> = {
  LRM_IsUserPremium: ['ward.is_premium', 'Whether there is a valid key.'],
  LRM_LinkedDiscordID: ["ward.chat_id or ''", 'The Discord account; empty if there is none.'],
  LRM_ScriptName: ['ward.script_name', 'The name of the script.'],
  LRM_ScriptVersion: ["ward.script_version .. ''", 'The version of the script, as a string.'],
  LRM_TotalExecutions: ['ward.executions', 'Number of runs of this key, including this one.'],
  LRM_SecondsLeft: ['ward.seconds_left()', 'Counts down; math.huge for a key that never expires.'],
  LRM_UserNote: ["ward.note or ''", 'The note of the key; empty if there is none.'],
  L7_LinkedDiscordID: ["ward.chat_id or ''", 'The Discord account; empty if there is none.'],
  L7_ScriptName: ['ward.script_name', 'The name of the script.'],
  L7_ScriptVersion: ["ward.script_version .. ''", 'The version of the script, as a string.'],
  L7_TotalExecutions: ['ward.executions', 'Number of runs of this key, including this one.'],
  L7_SecondsLeft: [
    `${ENDS} and ward.seconds_left() or 'Lifetime'`,
    "Counts down; 'Lifetime' for a key that never expires.",
  ],
  L7_UserNote: ["ward.note or ward.is_premium and '' or 'FFA'", "The note of the key; 'FFA' without a key."],
  la_is_premium: ['ward.is_premium', 'Whether there is a valid key.'],
  la_executions: ['ward.executions', 'Number of runs of this key, including this one.'],
  la_discord_id: ['ward.chat_id', 'The Discord account, or nil.'],
  la_seconds_left: [
    `${ENDS} and ward.seconds_left() or nil`,
    'Counts down; nil for a key that never expires.',
  ],
  la_user_note: ['ward.note', 'The note of the key, or nil.'],
  la_script_name: ['ward.script_name', 'The name of the script.'],
  la_exists: ['true', 'Branches for the unprotected file are removed.'],
  la_supports_sessions: ['ward.supports_sessions', 'Whether this run can receive messages from the owner.'],
  la_handle: ['ward.handle', 'Sets the handler for messages from the owner.'],
  JD_IS_PREMIUM: ['ward.is_premium', 'Whether there is a valid key.'],
  JD_IsPremium: ['ward.is_premium', 'Whether there is a valid key.'],
  JD_EXPIRES_AT: [
    'os.time() + ward.seconds_left()',
    'In seconds since 1970; math.huge for a key that never expires.',
  ],
  JD_DISCORD_ID: ['ward.chat_id', 'The Discord account, or nil.'],
  JD_REASON: ["ward.is_premium and 'Key validation' or 'Keyless'", 'Why the script runs.'],
}

/** Maps rejected names to what authors should do instead. */
const REFUSED: Readonly<Record<string, string>> = {
  JD_CREATED_AT: 'scripts cannot read when a key was created: store it in the note of the key',
  WYNF_GET_RNG: 'the build seed is not exposed: use a number of your own',
  WYNF_GET_RNG_SEED: 'the build seed is not exposed: use a number of your own',
}

/** Names that start with one of these prefixes belong to Scriptward or to another service. */
export const PREFIXES = ['WARD_', 'LPH_', 'LRM_', 'L7_', 'la_', 'JD_', 'WYNF_'] as const

const BY_NAME: ReadonlyMap<string, Macro> = new Map(
  MACROS.flatMap(([macro, names]) => names.split(' ').map((name) => [name, macro] as const)),
)

/** The complete table. It starts with Scriptward's own names. */
export const macroTable: readonly MacroEntry[] = [
  ...[...BY_NAME].map(([name, macro]): MacroEntry => ({ name, ...RULES[macro] })),
  ...Object.entries(VARIABLES).map(
    ([name, [becomes, note]]): MacroEntry => ({ name, kind: 'variable', arguments: '', becomes, note }),
  ),
  ...Object.entries(REFUSED).map(
    ([name, note]): MacroEntry => ({ name, kind: 'refused', arguments: '', becomes: 'an error', note }),
  ),
]

export function macroNamed(name: string): Macro | null {
  return BY_NAME.get(name) ?? null
}

export function ruleOf(macro: Macro): Rule {
  return RULES[macro]
}

/** Returns the Lua expression on `ward` that replaces a variable; null for any other name. */
export function variableNamed(name: string): string | null {
  return Object.hasOwn(VARIABLES, name) ? (VARIABLES[name]?.[0] ?? null) : null
}

/** Returns why a name is rejected and what to do instead; null for any other name. */
export function refusalOf(name: string): string | null {
  return Object.hasOwn(REFUSED, name) ? (REFUSED[name] ?? null) : null
}
