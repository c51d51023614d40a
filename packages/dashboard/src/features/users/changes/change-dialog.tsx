/** Changes the selected users one by one. Shows a preview, then the progress, then the failures. */
import { useRef, useState } from 'react'
import { ErrorMessage } from '../../../components/error-message.tsx'
import { Form } from '../../../components/fields/form.tsx'
import type { KeptInput } from '../../../components/fields/kept-input.ts'
import { useKept, useKeptState } from '../../../components/fields/use-kept.ts'
import { Dialog } from '../../../components/overlays/dialog.tsx'
import type { Toast } from '../../../components/overlays/undo-button.tsx'
import { number } from '../../../lib/format.ts'
import { useRefusal } from '../../../lib/rights.ts'
import { text } from '../../../messages/text.ts'
import { errorMessages, useCall } from '../../../queries/api.ts'
import { readUser, useShownUsers } from '../queries.ts'
import { nameOf, type User } from '../user.ts'
import styles from '../users.module.css'
import { ChangeOptions } from './change-options.tsx'
import { CHANGES, type ChangeId, isUndone, OPTIONS, type Options, sortUsers } from './changes.ts'
import { once, oncePer } from './once.ts'
import { type Failure, runMany } from './run-many.ts'
import { usePause } from './use-pause.ts'

type Props = {
  readonly change: ChangeId
  readonly users: readonly User[]
  readonly onToast: (toast: Toast) => void
  readonly onRemoved?: ((users: readonly User[]) => void) | undefined
  readonly onClose: () => void
}

type Changed = {
  readonly before: User
  readonly after: User | undefined
  /** ID of the recorded change, for undo. Undefined if the server did not record it. */
  readonly changeId: string | undefined
}
type Step =
  | { readonly kind: 'preview' }
  | { readonly kind: 'running'; readonly finished: number; readonly of: number }
  | { readonly kind: 'report'; readonly failed: readonly Failure<User>[]; readonly left: readonly User[] }

export function ChangeDialog({ change: id, users, onToast, onRemoved, onClose }: Props) {
  const t = text.users.changes[id]
  const mayBulk = useRefusal('users:bulk') === undefined
  const kept = useKept('users-change', id)
  const [options, setOptions] = useKeptState<Options>(kept, 'options', { ...OPTIONS, mayBulk })
  const { step, changed, run, stop } = useRun(id, options, onRemoved)
  const pause = usePause(onToast)
  const start = async (items: readonly User[]) => {
    const [only] = items
    if (only && users.length === 1 && (id === 'pause' || id === 'resume')) {
      pause.mutate({ user: only, isPaused: id === 'pause' })
      return onClose()
    }
    const all = await run(items)
    if (all) kept.forget(() => finish(all))
  }
  const undo = useUndo(id)
  const finish = (all: readonly Changed[]) => {
    if (all.length > 0) {
      const before = all.map((each) => each.before)
      const back = isUndone(id, before, options) && (() => undo(all))
      onToast({ title: t.done(all.length), ...(back && { undo: back }) })
    }
    onClose()
  }
  const title = users.length === 1 && users[0] ? t.titleOne(nameOf(users[0])) : t.title(users.length)
  return (
    <Dialog title={title} onClose={step.kind === 'running' ? stop : () => finish(changed)}>
      {step.kind === 'preview' && (
        <Preview
          kept={kept}
          id={id}
          users={users}
          options={options}
          onOptions={setOptions}
          onStart={start}
          onClose={() => kept.discard(onClose)}
        />
      )}
      {step.kind === 'running' && <Running {...step} onStop={stop} />}
      {step.kind === 'report' && (
        <ReportOf
          done={changed.length}
          {...step}
          onRetry={() => start([...step.failed.map(({ item }) => item), ...step.left])}
          onClose={() => finish(changed)}
        />
      )}
    </Dialog>
  )
}

/**
 * `run` returns all changed users, including those from earlier attempts. It returns undefined if it was
 * stopped or if any user failed.
 */
function useRun(id: ChangeId, options: Options, onRemoved: Props['onRemoved']) {
  const call = useCall()
  const shown = useShownUsers()
  const [step, setStep] = useState<Step>({ kind: 'preview' })
  const [changed, setChanged] = useState<readonly Changed[]>([])
  const isStopped = useRef(false)
  /** Change IDs by key. A retry must not repeat a change, such as an extension, that succeeded before. */
  const applied = useRef(new Map<string, string | undefined>()).current
  /** The users as read just before the change, for changes that can't rely on the list's rows. */
  const latest = useRef(new Map<string, User>()).current
  const { apply, together, isRemoval, isReplacing } = CHANGES[id]
  const isTogether = (user: User) => together?.fits(user, options) === true
  const run = async (items: readonly User[]) => {
    isStopped.current = false
    const shared = new Set(items.filter((user) => isTogether(user) && !applied.has(user.key)))
    const shareCall = once(async () => {
      const changeId = await together?.apply(call, [...shared], options)
      for (const { key } of shared) applied.set(key, changeId)
    })
    const work = async (row: User): Promise<Changed> => {
      const { key } = row
      if (isReplacing && !applied.has(key)) latest.set(key, await readUser(call, key))
      const before = latest.get(key) ?? row
      if (shared.has(row)) await shareCall()
      else if (!applied.has(key)) applied.set(key, await apply(call, before, options))
      return { before, after: isRemoval ? undefined : await readUser(call, key), changeId: applied.get(key) }
    }
    const onProgress = (finished: number) => setStep({ kind: 'running', finished, of: items.length })
    onProgress(0)
    const { done, failed, left } = await runMany({
      items,
      work,
      onProgress,
      isStopped: () => isStopped.current,
    })
    const all = [...changed, ...done]
    setChanged(all)
    if (isRemoval) {
      shown.drop(done.map(({ before }) => before))
      onRemoved?.(done.map(({ before }) => before))
    } else
      shown.put(
        done.flatMap(({ after }) => after ?? []),
        done.map(({ before }) => before),
      )
    if (failed.length + left.length === 0) return all
    setStep({ kind: 'report', failed, left })
    return undefined
  }
  return { step, changed, run, stop: () => (isStopped.current = true) }
}

/**
 * Returns a function that undoes a change. That function returns a message, including any users whose undo
 * failed.
 */
function useUndo(id: ChangeId) {
  const call = useCall()
  const shown = useShownUsers()
  const t = text.users
  return async (changed: readonly Changed[]) => {
    const back = oncePer(async (one: Changed) => CHANGES[id].undo?.(call, one.before, one.changeId))
    const work = async (one: Changed) => {
      await back(one.changeId ?? one.before.key, one)
      return readUser(call, one.before.key)
    }
    const { done, failed } = await runMany({
      items: changed,
      work,
      onProgress: () => {},
      isStopped: () => false,
    })
    shown.put(done, done)
    await shown.again()
    const why = errorMessages(failed[0]?.error).join(' ')
    return failed.length === 0 ? t.undone(done.length) : t.notUndone(failed.length, why)
  }
}

type PreviewProps = {
  readonly kept: KeptInput
  readonly id: ChangeId
  readonly users: readonly User[]
  readonly options: Options
  readonly onOptions: (options: Options) => void
  readonly onStart: (users: readonly User[]) => void
  readonly onClose: () => void
}

const SHOWN_PREVIEWS = 5

function Preview({ kept, id, users, options, onOptions, onStart, onClose }: PreviewProps) {
  const t = text.users
  const change = CHANGES[id]
  const { touched, skipped } = sortUsers(users, change)
  const wrong = change.validate(options)
  const isReady = Object.keys(wrong).length === 0
  const [isChecked, setIsChecked] = useState(false)
  return (
    <Form
      kept={kept}
      onSubmit={(event) => {
        event.preventDefault()
        setIsChecked(true)
        if (isReady && touched.length > 0) onStart(touched)
      }}
    >
      <p>{t.changes[id].words}</p>
      <ChangeOptions id={id} options={options} wrong={isChecked ? wrong : {}} onChange={onOptions} />
      <div className={styles.verdict}>
        <p>
          <strong>{t.willChange(touched.length)}</strong>
        </p>
        {skipped.map(([why, count]) => (
          <p key={why} className="hint">
            {t.willSkip(count, why)}
          </p>
        ))}
        {change.preview && isReady && touched.length > 0 && (
          <ul className={styles.previews}>
            {touched.slice(0, SHOWN_PREVIEWS).map((user) => (
              <li key={user.key}>
                {nameOf(user)}: {change.preview?.(user, options)}
              </li>
            ))}
            {touched.length > SHOWN_PREVIEWS && (
              <li className="hint">{t.andMore(touched.length - SHOWN_PREVIEWS)}</li>
            )}
          </ul>
        )}
      </div>
      {!isUndone(id, touched, options) && <p className="hint">{t.noUndo}</p>}
      <div className="bar end">
        <button type="button" onClick={onClose}>
          {text.cancel}
        </button>
        <button
          type="submit"
          className={change.isRemoval || id === 'blacklist' ? 'danger' : 'main'}
          disabled={touched.length === 0}
        >
          {t.changes[id].submit}
        </button>
      </div>
    </Form>
  )
}

function Running({ finished, of, onStop }: { finished: number; of: number; onStop: () => void }) {
  const t = text.users
  return (
    <div className="stack">
      <p role="status">{t.progress(finished, of)}</p>
      <progress className={styles.progress} value={finished} max={of} aria-label={t.progress(finished, of)} />
      <p className="hint">{t.progressHint}</p>
      <div className="bar end">
        <button type="button" onClick={onStop}>
          {t.stop}
        </button>
      </div>
    </div>
  )
}

type ReportProps = {
  readonly done: number
  readonly failed: readonly Failure<User>[]
  readonly left: readonly User[]
  readonly onRetry: () => void
  readonly onClose: () => void
}

const SHOWN_FAILURES = 100

function ReportOf({ done, failed, left, onRetry, onClose }: ReportProps) {
  const t = text.users
  return (
    <div className="stack">
      <p role="status">{t.report(done, failed.length, left.length)}</p>
      {failed.length > 0 && (
        <section className={styles.failures} aria-label={t.failedTitle}>
          <ul>
            {failed.slice(0, SHOWN_FAILURES).map(({ item, error }) => (
              <li key={item.key}>
                <strong>{nameOf(item)}</strong>
                <ErrorMessage of={error} />
              </li>
            ))}
          </ul>
          {failed.length > SHOWN_FAILURES && (
            <p className="hint">{t.andMore(failed.length - SHOWN_FAILURES)}</p>
          )}
        </section>
      )}
      <div className="bar end">
        <button type="button" onClick={onClose}>
          {text.frame.close}
        </button>
        <button type="button" className="main" onClick={onRetry}>
          {t.retryFailed(number(failed.length + left.length))}
        </button>
      </div>
    </div>
  )
}
