/** Sends a simulated visitor through all steps, and shows the result of each check with the fix. */
import { type V1AdSystemsTestResponse, v1AdSystemsTest } from '@scriptward/sdk'
import { useMutation } from '@tanstack/react-query'
import { ErrorMessage } from '../../components/error-message.tsx'
import { GuardedButton } from '../../components/guarded.tsx'
import { Panel } from '../../components/panel.tsx'
import { adsText as t } from '../../messages/en/ads.ts'
import { useCall } from '../../queries/api.ts'
import styles from './networks.module.css'
import { labelOf, useProviders, WRITE } from './queries.ts'

type Test = V1AdSystemsTestResponse['test']
type Step = Test['steps'][number]
type Outcome = Test['key']

/** The test calls the networks, so it runs only on demand and after a new step. */
export function useSelfTest(system_id: string) {
  const call = useCall()
  return useMutation({
    mutationFn: async () => (await v1AdSystemsTest({ ...call, path: { system_id } })).data.test,
    networkMode: 'always',
  })
}

export function SelfTest({ test }: { test: ReturnType<typeof useSelfTest> }) {
  const { data, isPending, error, mutate } = test
  return (
    <Panel
      title={t.test}
      hint={t.testHint}
      actions={
        <GuardedButton needs={WRITE} disabled={isPending} onClick={() => mutate()}>
          {isPending ? t.testing : data ? t.testAgain : t.runTest}
        </GuardedButton>
      }
    >
      <ErrorMessage of={error} />
      {data && !isPending && <Results test={data} />}
    </Panel>
  )
}

function Results({ test: { passed, steps, key } }: { test: Test }) {
  return (
    <div role="status" className="stack">
      <p className={passed ? 'notice good' : 'notice warn'}>{passed ? t.testPassed : t.testFailed}</p>
      {steps.map((step) => (
        <StepResult key={step.checkpoint_id} step={step} />
      ))}
      <section className="stack tight">
        <h3>{t.testKey}</h3>
        <ul className={styles.checks}>
          <Line outcome={key} passed={t.testKeyPassed} network="" />
        </ul>
      </section>
    </div>
  )
}

function StepResult({ step: { name, provider, checks } }: { step: Step }) {
  const { data } = useProviders()
  const network = labelOf(data, provider)
  return (
    <section className="stack tight">
      <h3>{t.testStep(name, network)}</h3>
      <ul className={styles.checks}>
        {checks.map(({ check, ...outcome }) => (
          <Line key={check} outcome={outcome} passed={t.testChecks[check](network)} network={network} />
        ))}
      </ul>
    </section>
  )
}

type LineProps = { readonly outcome: Outcome; readonly passed: string; readonly network: string }

function Line({ outcome: { result, reason }, passed, network }: LineProps) {
  const words = reason === null ? undefined : t.testReasons[reason as keyof typeof t.testReasons]
  return (
    <li data-result={result}>
      <svg viewBox="0 0 16 16" role="img" aria-label={t.testResults[result]}>
        <path d={SHAPES[result]} />
      </svg>
      <span>{words ? words(network) : result === 'skipped' ? t.testSkipped : passed}</span>
    </li>
  )
}

const SHAPES: Readonly<Record<Outcome['result'], string>> = {
  passed: 'M2.5 8.5l3.5 3.5 7.5-8',
  warning: 'M8 2l6.5 12h-13zM8 6.5v3.5m0 1.5v1',
  failed: 'M3.5 3.5l9 9m0-9l-9 9',
  skipped: 'M3 8h10',
}
