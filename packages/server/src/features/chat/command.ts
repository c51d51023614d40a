/**
 * Types for chat bot commands, independent of the chat service. Each service's adapter offers the commands in
 * `list.ts` and renders their answers.
 */

import type { Deps } from '../../deps.ts'
import type { Language } from '../../pages/language.ts'
import type { Scope } from '../access/scopes.ts'
import type { ProjectSubject } from '../projects/store/subjects.ts'
import type { Text } from './text.ts'

/** A user on the chat service. */
export type Person = {
  /** ID of the chat account, which a user's `chat_id` contains. */
  readonly id: string
  readonly name: string
  /** Permissions in the project; empty for customers. */
  readonly scopes: ReadonlySet<Scope>
}

/** Whether a chat member has their plan's role, or why not. `failed`: the chat service is unavailable. */
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

/** A request to a project's bot. */
export type Asked = {
  readonly deps: Deps
  readonly subject: ProjectSubject
  readonly person: Person
  readonly language: Language
  /** URL of the client protocol, which loaders use. */
  readonly clientUrl: string
  readonly requestId: string
  /** Immediately assigns the role of the caller's plan, if they are entitled to it. */
  readonly getRole: () => Promise<RoleState>
}

/** A file attached to a command. */
export type AttachedFile = {
  readonly name: string
  readonly size: number
  readonly read: () => Promise<Buffer>
}

/**
 * `text`: at most `longest` characters. `key`: a license key. `person`: a chat account. `duration`: such as
 * 3d or 1d12h. `choice`: an ID that `suggest` returns. `file`: an attachment. `flag`: true or false.
 */
type OptionKind = 'text' | 'key' | 'person' | 'duration' | 'choice' | 'file' | 'flag'

export type Option = {
  readonly name: string
  readonly summary: string
  readonly kind: OptionKind
  readonly isRequired?: boolean
  readonly longest?: number
  /** Returns up to 25 values that contain the input. */
  readonly suggest?: (asked: Asked, typed: string) => Promise<readonly Suggestion[]>
}
export type Suggestion = { readonly name: string; readonly value: string }

/**
 * The values of a command's options as strings. A `person` is an account ID. A `flag` is `true` or absent.
 */
export type Given = Readonly<Record<string, string>>

export type Button = {
  readonly label: string
  readonly style?: 'plain' | 'main' | 'danger'
  /** The command that the button runs with these options. A form asks for missing required options. */
  readonly command: string
  readonly given?: Given
  /** Whether only the first press of the button has an effect. */
  readonly isSingleUse?: boolean
}

export type Answer = {
  readonly text: Text
  readonly tone?: 'good' | 'bad'
  readonly title?: string
  readonly fields?: readonly { readonly name: string; readonly text: Text }[]
  readonly buttons?: readonly Button[]
  /** Whether everyone in the channel sees the answer, if the command is public too. */
  readonly isPublic?: boolean
}

export type Command = {
  /** Lowercase. A second word is a subcommand: `key give`. */
  readonly name: string
  readonly summary: string
  /** The required scope; null for commands that everyone may use. */
  readonly scope: Scope | null
  /** Available only through buttons. */
  readonly isHidden?: true
  /**
   * Whether everyone in the channel sees the answer, even a late one. Other answers are visible only to the
   * caller.
   */
  readonly isPublic?: true
  readonly options?: readonly Option[]
  readonly run: (asked: Asked, given: Given, file?: AttachedFile) => Promise<Answer>
}
