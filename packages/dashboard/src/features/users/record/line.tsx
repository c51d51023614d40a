/** One line of the timeline. Shows the event, followed by the script, executor and device. */
import type { ReactNode } from 'react'
import { actorName } from '../../../components/audit/audit-line.ts'
import type { Names } from '../../../components/audit/audit-values.ts'
import type { Change } from '../../../components/overlays/undo-change.ts'
import { addressOf } from '../../../lib/address.ts'
import { spanText } from '../../../lib/durations.ts'
import { number } from '../../../lib/format.ts'
import { exactly, when } from '../../../lib/when.ts'
import { recordText } from '../../../messages/en/user-record.ts'
import { text } from '../../../messages/text.ts'
import { nameOfScript } from '../../../queries/scripts.ts'
import { changeOfUser } from '../../changes/change-title.ts'
import { UndoChangeButton } from '../../changes/undo-change-button.tsx'
import type { User } from '../user.ts'
import { changedIn } from './changed.ts'
import { clockTime } from './days.ts'
import { RecordIcon } from './icons.tsx'
import styles from './record.module.css'
import type { Item, RunFacts } from './timeline.ts'

type Props = {
  readonly item: Item
  readonly user: User
  readonly scripts: ReadonlyMap<string, string>
  readonly plans: Names
  /** Returns the function that undoes the item; undefined if it can't be undone. */
  readonly onUndo: (item: Item) => (() => void) | undefined
}

type Words = { readonly title: string; readonly rest?: string; readonly meta?: ReactNode }

export function Line({ item, user, scripts, plans, onUndo }: Props) {
  const { title, rest, meta } = wordsOf(item, user, scripts, plans)
  const isReset = 'word' in item && item.word === 'reset'
  return (
    <li className={styles[item.kind]}>
      <time dateTime={new Date(item.at).toISOString()} title={exactly(item.at)}>
        {clockTime(item.at)}
      </time>
      <span className={styles.dot}>
        <RecordIcon name={isReset ? 'reset' : item.kind} />
      </span>
      <div className={styles.what}>
        <p dir="auto">
          <strong>{title}</strong>
          {rest !== undefined && rest !== '' && ` ${rest}`}
        </p>
        {meta !== undefined && <p className={styles.meta}>{meta}</p>}
      </div>
      <ActionOf item={item} user={user} title={title} undo={onUndo(item)} />
    </li>
  )
}

type ActionProps = Pick<Props, 'item' | 'user'> & { title: string; undo: (() => void) | undefined }

function ActionOf({ item, user, title, undo }: ActionProps) {
  const t = recordText
  if ('change' in item && item.change.state !== 'undone')
    return <UndoChangeButton change={item.change} isLink />
  if (undo !== undefined)
    return (
      <button type="button" className="link" aria-label={t.undoOf(title)} onClick={undo}>
        {t.undo}
      </button>
    )
  if (!('run' in item) || item.run.id === undefined) return null
  const times = { from: String(item.since), to: String(item.at) }
  const one = item.count === 1 ? { run: item.run.id } : {}
  const href = addressOf.project(user.project_id, 'logs', { user_key: user.key, ...times, ...one })
  return (
    <a href={href} aria-label={t.detailsOf(title, clockTime(item.at))}>
      {t.viewDetails}
    </a>
  )
}

function wordsOf(item: Item, user: User, scripts: Props['scripts'], plans: Names): Words {
  const t = recordText
  if ('entry' in item) {
    const { title, details, by } = changedIn(item.entry, plans)
    return { title, rest: details, meta: by }
  }
  if ('change' in item) return changeWords(item.change, plans)
  if ('word' in item)
    return item.word === 'reset' ? { title: t.wasReset, meta: t.byCustomer } : { title: t.wasCreated }
  const meta = <RunMeta item={item} user={user} scripts={scripts} />
  if (item.kind === 'denied') return { ...deniedWords(item), meta }
  if (item.kind === 'crashed') return { ...crashedWords(item), meta }
  return { ...ranWords(item), meta }
}

function changeWords(change: Change, plans: Names): Words {
  const { count, actor, details } = change
  const plan = typeof details.plan_id === 'string' ? plans.get(details.plan_id) : undefined
  const rest = [
    ...(plan === undefined ? [] : [recordText.to(plan)]),
    ...(count > 1 ? [text.changes.ofMany(count)] : []),
  ]
  return { title: changeOfUser(change), rest: rest.join(' '), meta: recordText.by(actorName(actor, plans)) }
}

function deniedWords(item: Item & { readonly run: RunFacts }): Words {
  const t = recordText
  const reason = item.run.reason ?? ''
  return { title: t.denied(t.reasons[reason] ?? reason), ...repeated(item) }
}

function crashedWords(item: Item & { readonly run: RunFacts }): Words {
  const t = recordText
  if (item.count > 1) return { title: t.crashed, ...repeated(item) }
  const { ended_at } = item.run
  const isTimed = typeof ended_at === 'number' && ended_at > item.at
  return { title: t.crashed, ...(isTimed && { rest: t.crashedAfter(spanText(ended_at - item.at)) }) }
}

function ranWords(item: Item & { readonly run: RunFacts }): Words {
  const t = recordText
  const { state, ended_at } = item.run
  if (item.count > 1) return { title: t.ran, ...repeated(item) }
  if (state === 'running') return { title: t.running(spanText(Date.now() - item.at)) }
  if (state === 'vanished') return { title: t.vanished }
  const isTimed = typeof ended_at === 'number' && ended_at > item.at
  const ending = state === 'stopped' || state === 'lost' ? text.logs.states[state] : undefined
  return { title: isTimed ? t.ranFor(spanText(ended_at - item.at)) : t.ran, ...(ending && { rest: ending }) }
}

function repeated({ count, since }: Item): { rest?: string } {
  return count === 1 ? {} : { rest: recordText.repeated(count, clockTime(since)) }
}

type MetaProps = Pick<Props, 'user' | 'scripts'> & { readonly item: Item & { readonly run: RunFacts } }

function RunMeta({ item, user, scripts }: MetaProps) {
  const t = recordText
  const { script_id, script_version, executor, value } = item.run
  const denial = item.kind === 'denied' ? item.denial : undefined
  const device = denial?.client.fingerprint
  const allowed = denial?.allowed_at ?? null
  const facts = [
    executor,
    ...(device ? [t.onDevice(device)] : []),
    ...(typeof value === 'string' && value !== '' && value !== device ? [t.received(value)] : []),
    ...(allowed !== null && allowed > Date.now() ? [t.allowedAt(when(allowed))] : []),
  ]
  return (
    <>
      <a href={addressOf.script(user.project_id, script_id)}>
        <bdi>{nameOfScript(scripts, script_id)}</bdi> {number(script_version)}
      </a>{' '}
      <span dir="auto">{facts.filter((fact) => fact !== '').join(', ')}</span>
    </>
  )
}
