/** Converts a Discord interaction to a command in `features/chat` and its options. */
import type { APIApplicationCommandInteractionDataOption, APIInteraction } from 'discord-api-types/v10'
import type { Command, Given } from '../../chat/command.ts'
import { findCommand } from '../../chat/list.ts'
import { readCustomId } from './render.ts'

export type Interaction = APIInteraction
export const INTERACTIONS = { ping: 1, command: 2, button: 3, autocomplete: 4, form: 5 } as const

/** The Discord account that sent the interaction. */
export type Sender = { readonly id: string; readonly name: string; readonly roleIds: readonly string[] }

export type Request = {
  readonly command: Command
  readonly given: Given
  /** ID of an attachment in `resolved`. */
  readonly attachment: string | undefined
  /** Name of the option to autocomplete. */
  readonly focused: string | undefined
  /** ID of a button that works only once. */
  readonly singleUse: string | undefined
}

export function senderOf({ member, user }: Interaction): Sender | undefined {
  const account = member?.user ?? user
  return account && { id: account.id, name: storable(account.username), roleIds: member?.roles ?? [] }
}

/**
 * Returns undefined if the command or button doesn't exist, for example because it belongs to an earlier
 * version.
 */
export function readRequest(interaction: Interaction): Request | undefined {
  switch (interaction.type) {
    case INTERACTIONS.command:
    case INTERACTIONS.autocomplete:
      return 'options' in interaction.data || 'name' in interaction.data
        ? commandRequest(interaction.data as CommandData)
        : undefined
    case INTERACTIONS.button:
      return customRequest(interaction.data.custom_id, {}, interaction.message.id)
    case INTERACTIONS.form:
      return customRequest(interaction.data.custom_id, fieldsOf(interaction.data as FormData))
    default:
      return undefined
  }
}

type CommandData = {
  readonly name: string
  readonly options?: readonly APIApplicationCommandInteractionDataOption[]
}
/** Discord wraps each field in a row component. */
type FormData = {
  readonly components: readonly {
    readonly components?: readonly { readonly custom_id: string; readonly value?: string }[]
  }[]
}

function commandRequest({ name, options = [] }: CommandData): Request | undefined {
  const [sub] = options
  const isGroup = sub !== undefined && 'options' in sub
  const command = findCommand(isGroup ? `${name} ${sub.name}` : name)
  const values = (isGroup ? (sub.options ?? []) : options) as readonly TypedOption[]
  if (command === undefined) return undefined
  const given = Object.fromEntries(
    values.flatMap(({ name: of, value }) => (value === false ? [] : [[of, storable(String(value))]])),
  )
  const file = command.options?.find(({ kind }) => kind === 'file')
  const focused = values.find((one) => one.focused)?.name
  return { command, given, attachment: file && given[file.name], focused, singleUse: undefined }
}

type TypedOption = {
  readonly name: string
  readonly value: string | number | boolean
  readonly focused?: boolean
}

function customRequest(id: string, fields: Given, messageId?: string): Request | undefined {
  const { command: name, given, isSingleUse } = readCustomId(id)
  const command = findCommand(name)
  const singleUse = isSingleUse && messageId !== undefined ? `message ${messageId}` : undefined
  return (
    command && {
      command,
      given: { ...given, ...fields },
      attachment: undefined,
      focused: undefined,
      singleUse,
    }
  )
}

function fieldsOf({ components }: FormData): Given {
  const fields = components.flatMap((row) => row.components ?? [])
  return Object.fromEntries(fields.map(({ custom_id, value = '' }) => [custom_id, storable(value)]))
}

/** Removes characters that PostgreSQL can't store. */
function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed()
}
