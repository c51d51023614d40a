/** Runs the script's live version in this browser, with a temporary key. */
import { v1ProjectUsersCreate, v1UsersRemove } from '@scriptward/sdk'
import { useEffect, useReducer, useRef, useState } from 'react'
import { ErrorMessage } from '../../components/error-message.tsx'
import { GuardedButton } from '../../components/guarded.tsx'
import { Panel } from '../../components/panel.tsx'
import { useRefusal } from '../../lib/rights.ts'
import { text } from '../../messages/text.ts'
import { useCall } from '../../queries/api.ts'
import { useProject } from '../../queries/projects.ts'
import { MappedText, useTraceback } from './errors.tsx'
import { type Script, SOURCE } from './queries.ts'
import { MAX_OUTPUT, MAX_SECONDS } from './run/bounds.ts'
import type { Ended, Line } from './run/run.ts'
import { runInLuau } from './run/run-loader.ts'
import styles from './scripts.module.css'

/** Lifetime of the key, in case removing it fails. */
const KEY_LASTS_MS = 10 * 60_000

export function TestRun({ script }: { script: Script }) {
  const { lines, ended, error, isRunning, hasLeftKey, start, stop } = useTestRun(script)
  const reason = script.enabled ? undefined : text.scripts.runOff
  return (
    <Panel
      title={text.scripts.testRun}
      hint={
        <>
          {text.scripts.testRunHint} {text.scripts.testRunKey}
        </>
      }
    >
      <div className="bar">
        <GuardedButton
          needs="users:write"
          reason={reason}
          className="main"
          disabled={isRunning}
          onClick={start}
        >
          {isRunning ? text.scripts.running : text.scripts.start}
        </GuardedButton>
        <button type="button" disabled={!isRunning} onClick={stop}>
          {text.scripts.stop}
        </button>
      </div>
      <ErrorMessage of={error} />
      <Output lines={lines} />
      <div role="status" className="stack tight">
        {ended && <Ending ended={ended} />}
        {ended?.how === 'failed' && <InSource key={ended.error} script={script} error={ended.error} />}
        {hasLeftKey && <p className="hint">{text.scripts.keyStays}</p>}
      </div>
    </Panel>
  )
}

function Output({ lines }: { lines: readonly Line[] }) {
  const place = useRef<HTMLPreElement>(null)
  useEffect(() => {
    if (lines.length > 0) place.current?.scrollTo({ top: place.current.scrollHeight })
  }, [lines])
  return (
    <section aria-label={text.scripts.output}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable with the keyboard. */}
      <pre ref={place} className={`printed ${styles.console}`} tabIndex={0}>
        {lines.length === 0 && <span className={styles.nothing}>{text.scripts.noOutput}</span>}
        {lines.map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines are only added, and may be the same.
          <span key={index} className={line.kind === 'out' ? undefined : styles[line.kind]}>
            {line.text}
            {'\n'}
          </span>
        ))}
      </pre>
    </section>
  )
}

function Ending({ ended }: { ended: Ended }) {
  if (ended.how === 'failed')
    return (
      <div className="field-error">
        <p>{text.scripts.runFailed}</p>
        <code>{ended.error}</code>
      </div>
    )
  if (ended.how === 'done') return <p>{text.scripts.runDone(ended.ms)}</p>
  if (ended.how === 'stopped') return <p>{text.scripts.runStopped}</p>
  if (ended.how === 'too long') return <p>{text.scripts.runTooLong(MAX_SECONDS)}</p>
  if (ended.how === 'too much') return <p>{text.scripts.runTooMuch(MAX_OUTPUT)}</p>
  return <p className="field-error">{text.scripts.runBroken}</p>
}

/** The source lines that the error refers to. Shown only to users who may read the source. */
function InSource({ script, error }: { script: Script; error: string }) {
  const mayRead = useRefusal(SOURCE) === undefined
  const { mutate, data } = useTraceback(script)
  useEffect(() => {
    if (mayRead && error !== '') mutate({ text: error })
  }, [mayRead, error, mutate])
  return data === undefined || data.text === error ? null : <MappedText found={data} />
}

type State = { readonly lines: readonly Line[]; readonly ended?: Ended; readonly error?: unknown }
type Step = Partial<Omit<State, 'lines'>> & { readonly line?: Line; readonly isNew?: boolean }

function next(state: State, { line, isNew, ...rest }: Step): State {
  if (isNew) return { lines: [] }
  return { ...state, ...rest, lines: line === undefined ? state.lines : [...state.lines, line] }
}

function useTestRun(script: Script) {
  const keys = useThrowAwayKeys()
  const running = useRef<AbortController>(null)
  const [state, tell] = useReducer(next, { lines: [] })
  const [isRunning, setIsRunning] = useState(false)
  const [hasLeftKey, setHasLeftKey] = useState(false)
  const stop = () => running.current?.abort()
  useEffect(() => {
    // Leaving the page ends the run and removes the key.
    const leave = () => running.current?.abort()
    addEventListener('pagehide', leave)
    return () => {
      removeEventListener('pagehide', leave)
      leave()
    }
  }, [])
  const start = async () => {
    const abort = new AbortController()
    const { signal } = abort
    running.current = abort
    tell({ isNew: true })
    setIsRunning(true)
    setHasLeftKey(false)
    try {
      await keys.withKey(
        async (key) => {
          const task = {
            scriptId: script.id,
            key,
            device: `dashboard-${crypto.randomUUID?.() ?? Date.now()}`,
          }
          tell({ ended: await runInLuau(task, { signal, onLine: (line) => tell({ line }) }) })
        },
        () => setHasLeftKey(true),
      )
    } catch (error) {
      tell({ error })
    }
    setIsRunning(false)
  }
  return { ...state, isRunning, hasLeftKey, start, stop }
}

/** Creates temporary keys and always removes them after use. */
function useThrowAwayKeys() {
  const call = useCall()
  const project = useProject()
  const create = async () => {
    const body = { note: text.scripts.testNote, key_expires: Date.now() + KEY_LASTS_MS }
    return (await v1ProjectUsersCreate({ ...call, path: { project_id: project.id }, body })).data.user_key
  }
  const remove = (key: string) => v1UsersRemove({ ...call, path: { user_key: key }, keepalive: true })
  return {
    async withKey(work: (key: string) => Promise<void>, onLeft: () => void) {
      const key = await create()
      try {
        await work(key)
      } finally {
        await remove(key).catch(onLeft)
      }
    },
  }
}
