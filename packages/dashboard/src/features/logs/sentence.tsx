/** The log's filters, which read as a sentence. */
import { useState } from 'react'
import styles from '../../components/sentence/sentence.module.css'
import { type Option, Options, Token, Typed } from '../../components/sentence/token.tsx'
import { useFilters } from '../../lib/address.ts'
import { isReason, REASON_NAMES, titleOf } from '../../lib/denials.ts'
import { text } from '../../messages/text.ts'
import type { Period } from '../../queries/outcomes.ts'
import { useProject } from '../../queries/projects.ts'
import { nameOfScript, useScriptNames } from '../../queries/scripts.ts'
import { CustomerToken } from './customer-token.tsx'
import { FILTERS, OUTCOMES } from './queries.ts'
import { RangeDialog, TimeToken } from './time-token.tsx'

type Props = {
  readonly period: Period
  /** Denials have no outcome, version or time range. */
  readonly isDenials?: boolean
}

export function Sentence({ period, isDenials = false }: Props) {
  const t = text.logs
  const [given, change] = useFilters()
  const [isRange, setIsRange] = useState(false)
  const isSet = FILTERS.some((name) => given[name] !== undefined)
  const mayHaveReason = given.outcome === 'denied' || given.reason !== undefined
  const clear = () => change(Object.fromEntries([...FILTERS, 'to'].map((name) => [name, undefined])))
  return (
    <>
      <search className={styles.sentence} aria-label={t.filters}>
        {isDenials ? <ReasonToken any={t.allDenials} /> : <OutcomeToken />}
        {!isDenials && mayHaveReason && (
          <>
            {' '}
            {t.for} <ReasonToken any={t.any.reason} />
          </>
        )}{' '}
        {t.of} <ScriptToken hasVersion={!isDenials} /> {t.on} <ExecutorToken /> {t.by} <CustomerToken />{' '}
        {t.time} <TimeToken period={period} onRange={isDenials ? undefined : () => setIsRange(true)} />
        {isSet && (
          <button type="button" className="quiet" onClick={clear}>
            {text.frame.clearFilters}
          </button>
        )}
      </search>
      {isRange && <RangeDialog period={period} onClose={() => setIsRange(false)} />}
    </>
  )
}

function OutcomeToken() {
  const t = text.logs
  const [{ outcome }, change] = useFilters()
  const known = OUTCOMES.find((each) => each === outcome)
  const options: Option[] = [
    [undefined, t.outcomeRuns.any],
    ...OUTCOMES.map((each): Option => [each, t.outcomeRuns[each]]),
  ]
  return (
    <Token
      title={t.outcome}
      words={t.outcomeRuns[known ?? 'any']}
      isSet={known !== undefined}
      onClear={() => change({ outcome: undefined, reason: undefined })}
    >
      {(close) => (
        <Options
          options={options}
          value={known}
          onChoose={(chosen) => {
            change({ outcome: chosen, reason: undefined })
            close()
          }}
        />
      )}
    </Token>
  )
}

function ReasonToken({ any }: { any: string }) {
  const [{ reason }, change] = useFilters()
  const known = isReason(reason) ? reason : undefined
  const reasons = REASON_NAMES.map((each): Option => [each, titleOf(each)])
  return (
    <Token
      title={text.logs.reason}
      words={known === undefined ? any : titleOf(known)}
      isSet={known !== undefined}
      onClear={() => change({ reason: undefined })}
    >
      {(close) => (
        <Options
          options={[[undefined, any], ...reasons]}
          value={known}
          onChoose={(chosen) => {
            change({ reason: chosen })
            close()
          }}
        />
      )}
    </Token>
  )
}

/** Version numbers are per script, so the version filter requires a script. */
function ScriptToken({ hasVersion }: { hasVersion: boolean }) {
  const t = text.logs
  const names = useScriptNames(useProject().id)
  const [{ script_id, version }, change] = useFilters()
  const clear = { script_id: undefined, version: undefined }
  return (
    <>
      <Token
        title={t.script}
        words={script_id === undefined ? t.any.script : nameOfScript(names, script_id)}
        isSet={script_id !== undefined}
        onClear={() => change(clear)}
      >
        {(close) => (
          <Options
            options={[[undefined, t.any.script], ...names]}
            value={script_id}
            onChoose={(chosen) => {
              change({ ...clear, script_id: chosen })
              close()
            }}
          />
        )}
      </Token>
      {hasVersion && script_id !== undefined && (
        <TypedToken
          name="version"
          title={t.version}
          label={t.enterVersion}
          words={version === undefined ? t.any.version : t.versionName(version)}
          inputMode="numeric"
        />
      )}
    </>
  )
}

function ExecutorToken() {
  const t = text.logs
  const [{ executor }] = useFilters()
  return (
    <TypedToken
      name="executor"
      title={t.executor}
      label={t.enterExecutor}
      words={executor ?? t.any.executor}
    />
  )
}

type TypedTokenProps = {
  readonly name: 'version' | 'executor'
  readonly title: string
  readonly label: string
  readonly words: string
  readonly inputMode?: 'numeric'
}

function TypedToken({ name, title, label, words, inputMode }: TypedTokenProps) {
  const [given, change] = useFilters()
  const value = given[name]
  return (
    <Token
      title={title}
      words={words}
      isSet={value !== undefined}
      onClear={() => change({ [name]: undefined })}
    >
      {(close) => (
        <Typed
          label={label}
          value={value ?? ''}
          {...(inputMode && { inputMode })}
          onApply={(typed) => {
            change({ [name]: typed })
            close()
          }}
        />
      )}
    </Token>
  )
}
