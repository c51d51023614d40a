/**
 * What a command of a chat bot is, with nothing specific to a chat service in it. An adapter offers the commands of
 * `list.ts` on its service, and renders their answers.
 */

import type { Deps } from '../../deps.ts'
import type { Language } from '../../pages/language.ts'
import type { Scope } from '../access/scopes.ts'
import type { ProjectSubject } from '../projects/store/subjects.ts'
import type { Text } from './text.ts'

/** Someone on the chat service. */
export type Person = {
  /** ID of the account, the `chat_id` of users. */
  readonly id: string
  readonly name: string
  /** Permissions in the project; empty for customers. */
  readonly scopes: ReadonlySet<Scope>
}

/**
 * Whether someone has the role of their plan on the chat service, or why not. `failed`: the service can't be used at the
 * moment.
 */
export type RoleState =
  | 'has_role'
  | 'no_key'
  | 'no_role'
  | 'blocked'
  | 'paused'
  | 'not_started'
  | 'expired'
  | 'role_too_high'
  | 'no_permission'
  | 'member_left'
  | 'role_removed'
  | 'failed'

/** Someone asks the bot of a project for something. */
export type Asked = {
  readonly deps: Deps
  readonly subject: ProjectSubject
  readonly person: Person
  readonly language: Language
  /** URL of the client protocol, from which scripts are loaded. */
  readonly clientUrl: string
  readonly requestId: string
  /** Gives the person the role of their plan now, if they may have it. */
  readonly getRole: () => Promise<RoleState>
}

/** A file that was attached to a command. */
export type AttachedFile = {
  readonly name: string
  readonly size: number
  readonly read: () => Promise<Buffer>
}

/**
 * `text`: any text of at most `longest` characters. `key`: a license key. `person`: an account of the chat service.
 * `duration`: such as 3d or 1d12h. `choice`: the ID of something that `suggest` finds. `file`: an attachment.
 * `flag`: yes or no.
 */
type OptionKind = 'text' | 'key' | 'person' | 'duration' | 'choice' | 'file' | 'flag'

export type Option = {
  readonly name: string
  readonly summary: string
  readonly kind: OptionKind
  readonly isRequired?: boolean
  readonly longest?: number
  /** Up to 25 values that begin with or contain what was typed so far. */
  readonly suggest?: (asked: Asked, typed: string) => Promise<readonly Suggestion[]>
}
export type Suggestion = { readonly name: string; readonly value: string }

/** The values of a command's options as text; a person is an ID, and a flag is `true` or absent. */
export type Given = Readonly<Record<string, string>>

export type Button = {
  readonly label: string
  readonly style?: 'plain' | 'main' | 'danger'
  /** The command that the button runs, with these options. Options that are required and missing are asked in a form. */
  readonly command: string
  readonly given?: Given
  /** The button works only once, for whoever presses it first. */
  readonly isSingleUse?: boolean
}

export type Answer = {
  readonly text: Text
  readonly tone?: 'good' | 'bad'
  readonly title?: string
  readonly fields?: readonly { readonly name: string; readonly text: Text }[]
  readonly buttons?: readonly Button[]
  /** Everyone in the channel sees the answer of a command that is public. */
  readonly isPublic?: boolean
}

export type Command = {
  /** Lower-case; a second word is a subcommand: `key give`. */
  readonly name: string
  readonly summary: string
  /** The scope that is needed; null for everyone. */
  readonly scope: Scope | null
  /** Only buttons run it. */
  readonly isHidden?: true
  /** Everyone in the channel sees the answer, even if it comes late. All other answers are only for who asked. */
  readonly isPublic?: true
  readonly options?: readonly Option[]
  readonly run: (asked: Asked, given: Given, file?: AttachedFile) => Promise<Answer>
}
