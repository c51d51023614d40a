/** Staff commands that post an announcement after a preview. */
import { Refused } from '../../api/refusals.ts'
import { issueOnce, lookAtOnce, TICKET_MS } from '../access/single-use.ts'
import {
  createAnnouncement,
  MAX_ANNOUNCEMENT_LENGTH,
  removeAnnouncement,
} from '../variables/announcements.ts'
import { act, Problem, problem, refusedAnswer } from './act.ts'
import { findScript, scriptOption } from './choices.ts'
import type { Answer, Asked, Command, Given } from './command.ts'
import { durationText, readDuration } from './durations.ts'
import { timeOption } from './staff-keys.ts'
import { say, strong, type Text, time, value } from './text.ts'

const DEFAULT_MS = 86_400_000
const PURPOSE = 'chat_draft'

/**
 * Stores the previewed announcement until it is confirmed, because an announcement doesn't fit into a
 * button's data.
 */
type Draft = {
  readonly project_id: string
  readonly text: string
  readonly script_id: string | null
  /** Duration of the announcement in milliseconds. */
  readonly lasting: number
}

const announce: Command = {
  name: 'announce',
  summary: 'Post an announcement to everyone who runs a script',
  scope: 'projects:write',
  options: [
    {
      name: 'text',
      summary: 'Message',
      kind: 'text',
      isRequired: true,
      longest: MAX_ANNOUNCEMENT_LENGTH,
    },
    { ...scriptOption, summary: 'Script. Default: all scripts' },
    { ...timeOption, summary: 'Duration, such as 3d. Default: 1d', isRequired: false },
  ],
  run: preview,
}

async function preview(asked: Asked, { text = '', script: typed, time: length }: Given): Promise<Answer> {
  if (text.trim() === '') return problem('Enter a message.')
  const script = typed === undefined ? undefined : await findScript(asked, typed)
  if (script instanceof Problem) return script.answer
  const lasting = length === undefined ? DEFAULT_MS : readDuration(length)
  if (lasting instanceof Problem) return lasting.answer
  const { deps, subject } = asked
  const draft: Draft = {
    ...{ project_id: subject.project.id, text: text.trim(), lasting },
    script_id: script?.script.id ?? null,
  }
  const use = { purpose: PURPOSE, customerId: subject.customer.id, data: draft, forMs: TICKET_MS } as const
  const secret = await deps.unauditedDb.transaction((tx) => issueOnce(deps, tx, use))
  const scripts = script
    ? say`${strong(script.script.name)}`
    : say`a script of ${strong(subject.project.name)}`
  return {
    title: 'Post this announcement?',
    text: say`${value(draft.text)}`,
    fields: [
      { name: 'Who sees it', text: say`Everyone who runs ${scripts}` },
      { name: 'For', text: durationPiece(lasting) },
    ],
    buttons: [
      { label: 'Post', style: 'main', command: post.name, given: { draft: secret }, isSingleUse: true },
    ],
  }
}

const durationPiece = (ms: number): Text => say`${value(durationText(ms))}`

const post: Command = {
  name: 'confirm announce',
  summary: 'Post an announcement',
  scope: 'projects:write',
  isHidden: true,
  run: postDraft,
}

async function postDraft(asked: Asked, { draft: secret = '' }: Given): Promise<Answer> {
  const { deps, subject } = asked
  const row = await lookAtOnce(deps, secret, [PURPOSE])
  const draft = JSON.parse(row?.data ?? 'null') as Draft | null
  if (draft?.project_id !== subject.project.id)
    return problem('This preview has expired. Use /announce again.')
  const { text, lasting, script_id } = draft
  const scripts = script_id === null ? undefined : [script_id]
  const body = { text, level: 'info', until: deps.now() + lasting, scripts } as const
  const made = await act(asked, { action: 'v1.announcements.create', body }, (on) =>
    createAnnouncement(on, subject, body),
  )
  if (made instanceof Refused) return refusedAnswer(made)
  return {
    tone: 'good',
    text: say`Posted. Running scripts receive it now. It ends ${time(made.until)}.`,
    buttons: [{ label: 'Remove', command: remove.name, given: { announcement: made.id }, isSingleUse: true }],
  }
}

const remove: Command = {
  name: 'remove announcement',
  summary: 'Remove an announcement',
  scope: 'projects:write',
  isHidden: true,
  async run(asked, { announcement: announcement_id = '' }) {
    const nouns = { announcement_id }
    const refused = await act(asked, { action: 'v1.announcements.remove', nouns }, (on) =>
      removeAnnouncement(on, asked.subject, announcement_id),
    )
    return refused ? refusedAnswer(refused) : { tone: 'good', text: say`The announcement was removed.` }
  },
}

export const staffAnnounceCommands: readonly Command[] = [announce, post, remove]
