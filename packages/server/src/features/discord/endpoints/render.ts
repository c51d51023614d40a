/**
 * Renders commands and answers from `features/chat` as Discord's JSON. Source: Discord's API documentation,
 * version 10.
 */
import type { Answer, Button, Command, Given, Option } from '../../chat/command.ts'
import type { Piece, Text } from '../../chat/text.ts'
import { CHAT_LIMITS, cut, plainText } from '../../webhooks/events/chat-text.ts'

/** Values from Discord's documentation. */
const OPTION_TYPES = { subcommand: 1, string: 3, boolean: 5, user: 6, attachment: 11 } as const
const COMPONENTS = { row: 1, button: 2, textInput: 4 } as const
const STYLES = { main: 1, plain: 2, danger: 4 } as const
const TONES = { good: 0x2e_7d_32, bad: 0xc6_28_28 } as const
/** The message flag that shows an answer only to the user who ran the command. */
export const EPHEMERAL = 64
export const RESPONSES = { pong: 1, message: 4, deferred: 5, suggestions: 8, form: 9 } as const

const BUTTONS_A_ROW = 5
const MAX_CUSTOM_ID = 100
const MAX_DESCRIPTION = 4096
const MAX_CHOICES = 25
/** Text input style for a single line. The next value allows several lines. */
const SHORT = 1
const SINGLE_USE = '!'

type Json = Readonly<Record<string, unknown>>

/** All commands that aren't hidden, in the format that Discord expects for registration. */
export function commandsJson(commands: readonly Command[]): Json[] {
  const shown = commands.filter(({ isHidden }) => !isHidden)
  const groups = Map.groupBy(shown, ({ name }) => name.split(' ')[0] ?? name)
  return [...groups].map(([name, group]) => {
    const [first] = group
    if (first?.name === name) return { ...commandJson(name, first), dm_permission: false }
    const options = group.map((one) => ({
      type: OPTION_TYPES.subcommand,
      ...commandJson(one.name.slice(name.length + 1), one),
    }))
    return {
      name,
      description: group.map((one) => one.name.split(' ')[1]).join(', '),
      options,
      dm_permission: false,
    }
  })
}

function commandJson(name: string, { summary, options = [] }: Command): Json {
  return { name, description: cut(summary, 100), options: inOrder(options).map(optionJson) }
}

/** Discord requires required options to come first. */
function inOrder(options: readonly Option[]): Option[] {
  return options.toSorted((a, b) => Number(b.isRequired ?? false) - Number(a.isRequired ?? false))
}

function optionJson({ name, summary, kind, isRequired, longest, suggest }: Option): Json {
  const type = { person: OPTION_TYPES.user, file: OPTION_TYPES.attachment, flag: OPTION_TYPES.boolean }[
    kind as 'file'
  ]
  return {
    type: type ?? OPTION_TYPES.string,
    name,
    description: cut(summary, 100),
    required: isRequired === true,
    ...(suggest && { autocomplete: true }),
    ...(longest !== undefined && { max_length: longest }),
  }
}

export function suggestionsJson(found: readonly { readonly name: string; readonly value: string }[]): Json {
  const choices = found
    .slice(0, MAX_CHOICES)
    .map(({ name, value }) => ({ name: cut(name || '–', 100), value }))
  return { type: RESPONSES.suggestions, data: { choices } }
}

/** An answer as a message. Its mentions don't notify anyone. */
export function messageJson({ text, tone, title, fields = [], buttons = [], isPublic }: Answer): Json {
  const head = {
    ...(title !== undefined && { title: plainText(title, CHAT_LIMITS.title) }),
    ...(text.length > 0 && { description: cut(textOf(text), MAX_DESCRIPTION) }),
  }
  const room = CHAT_LIMITS.total - (head.title ?? '').length - (head.description ?? '').length
  return {
    embeds: [{ ...head, ...(tone && { color: TONES[tone] }), fields: fieldsIn(room, fields) }],
    components: rowsOf(buttons),
    allowed_mentions: { parse: [] },
    ...(isPublic ? {} : { flags: EPHEMERAL }),
  }
}

type FieldJson = { readonly name: string; readonly value: string; readonly inline: boolean }

/** As many of the first fields as fit into `room` characters. */
function fieldsIn(room: number, fields: NonNullable<Answer['fields']>): FieldJson[] {
  const shown: FieldJson[] = []
  let left = room
  for (const { name, text } of fields.slice(0, CHAT_LIMITS.fields)) {
    const field = {
      name: plainText(name, CHAT_LIMITS.name),
      value: cut(textOf(text), CHAT_LIMITS.value) || '–',
      inline: text.length === 1 && !isBlock(text[0]),
    }
    left -= field.name.length + field.value.length
    if (left < 0) break
    shown.push(field)
  }
  return shown
}

function rowsOf(buttons: readonly Button[]): Json[] {
  const rows = Math.ceil(buttons.length / BUTTONS_A_ROW)
  return Array.from({ length: rows }, (_, row) => ({
    type: COMPONENTS.row,
    components: buttons.slice(row * BUTTONS_A_ROW, (row + 1) * BUTTONS_A_ROW).map((button) => ({
      type: COMPONENTS.button,
      style: STYLES[button.style ?? 'plain'],
      label: cut(button.label, 80),
      custom_id: customId(button),
    })),
  }))
}

/** A form that asks for the options that a pressed button did not set. */
export function formJson(command: Command, given: Given, missing: readonly Option[]): Json {
  const data = {
    custom_id: customId({ command: command.name, given }),
    title: cut(command.summary, 45),
    components: missing.map(({ name, summary, longest }) => ({
      type: COMPONENTS.row,
      components: [
        {
          type: COMPONENTS.textInput,
          custom_id: name,
          label: cut(summary, 45),
          style: SHORT,
          required: true,
          ...(longest !== undefined && { max_length: longest }),
        },
      ],
    })),
  }
  return { type: RESPONSES.form, data }
}

function customId({
  command,
  given = {},
  isSingleUse,
}: Pick<Button, 'command' | 'given' | 'isSingleUse'>): string {
  const query = new URLSearchParams(given).toString()
  const id = `${isSingleUse ? SINGLE_USE : ''}${command}${query === '' ? '' : `?${query}`}`
  if (id.length > MAX_CUSTOM_ID)
    throw new Error(`the button of "${command}" has more data than Discord stores`)
  return id
}

/** Parses a custom ID that {@link messageJson} or {@link formJson} created. */
export function readCustomId(id: string): {
  readonly command: string
  readonly given: Given
  readonly isSingleUse: boolean
} {
  const isSingleUse = id.startsWith(SINGLE_USE)
  const [command = '', query = ''] = id.slice(isSingleUse ? 1 : 0).split('?')
  return { command, given: Object.fromEntries(new URLSearchParams(query)), isSingleUse }
}

export function textOf(text: Text): string {
  return text.map(pieceOf).join('')
}

function pieceOf(piece: Piece): string {
  if (typeof piece === 'string') return piece
  switch (piece.kind) {
    case 'time':
      return `<t:${Math.floor(piece.at / 1000)}:R>`
    case 'person':
      return /^\d{5,22}$/.test(piece.chatId) ? `<@${piece.chatId}>` : plainText(piece.chatId)
    case 'code':
      return `\`${withoutBackticks(piece.text)}\``
    case 'secret':
      return `||\`${withoutBackticks(piece.text).replaceAll('|', '')}\`||`
    case 'block':
      return `\`\`\`lua\n${piece.text.replaceAll('```', "'''")}\n\`\`\``
    case 'strong':
      return `**${plainText(piece.text)}**`
    default:
      return plainText(piece.text, CHAT_LIMITS.value)
  }
}

function isBlock(piece: Piece | undefined): boolean {
  return typeof piece === 'object' && piece.kind === 'block'
}

function withoutBackticks(text: string): string {
  return text.replaceAll('`', "'")
}
