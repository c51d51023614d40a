/**
 * Uploads a new version. The form starts with the options from the last upload. The version is released once
 * it is protected.
 */
import { v1ScriptsUpdate } from '@scriptward/sdk'
import { useState } from 'react'
import { Check } from '../../components/fields/choice-group.tsx'
import type { KeptInput } from '../../components/fields/kept-input.ts'
import { useKeptState } from '../../components/fields/use-kept.ts'
import { useToast } from '../../components/overlays/toasts.tsx'
import { Panel } from '../../components/panel.tsx'
import { text } from '../../messages/text.ts'
import { useCall, useChange } from '../../queries/api.ts'
import type { Options, Script } from './queries.ts'
import {
  isReachRight,
  type Reach,
  ReachField,
  reachBody,
  reachText,
  USUAL_REACH,
} from './releases/reach-field.tsx'
import { type Draft, sourceOf, UploadForm } from './upload-form.tsx'

type Props = {
  readonly script: Script
  readonly kept: KeptInput
  readonly draft: Draft
  readonly onChange: (draft: Draft) => void
  /** Called with the tab to open. */
  readonly onDone: (tab: string) => void
}

export function NewVersion({ script, kept, draft, onChange, onDone }: Props) {
  const call = useCall()
  const showToast = useToast()
  const [hasNoTest, setHasNoTest] = useKeptState(kept, 'no-test', false)
  const [reach, setReach] = useKeptState(kept, 'reach', USUAL_REACH)
  const [isChecked, setIsChecked] = useState(false)
  const update = useChange(async (order: Order) => {
    const body = { ...bodyOf(order, script.options), ...reachBody(order.reach) }
    const { version, release } = (await v1ScriptsUpdate({ ...call, path: { script_id: script.id }, body }))
      .data
    showToast({ title: `${text.scripts.published(script.name)} ${reachText(version, release?.percent)}` })
    kept.forget()
    onDone(release === null ? 'overview' : 'releases')
  })
  const submit = () => {
    setIsChecked(true)
    if (isReachRight(reach)) update.mutate({ ...draft, hasNoTest, reach })
  }
  return (
    <Panel title={text.scripts.newVersion}>
      <UploadForm
        kept={kept}
        draft={draft}
        onChange={onChange}
        submit={text.scripts.protect}
        isPending={update.isPending}
        error={update.error}
        onSubmit={submit}
        hints={<p className="hint">{text.scripts.keptOptions}</p>}
        testHint={
          <>
            <p className="hint">{text.scripts.testKept}</p>
            <Check label={text.scripts.noTest} checked={hasNoTest} onChange={setHasNoTest} />
          </>
        }
      >
        <ReachField script={script} reach={reach} isChecked={isChecked} onChange={setReach} />
      </UploadForm>
    </Panel>
  )
}

type Order = Draft & { readonly hasNoTest: boolean; readonly reach: Reach }

function bodyOf(order: Order, stored: Options) {
  const { options, test, hasNoTest } = order
  return {
    ...sourceOf(order),
    ...(!isSame(options, stored) && { options }),
    ...(hasNoTest ? { test_script: '' } : test.trim() !== '' && { test_script: test }),
  }
}

function isSame(left: Options, right: Options): boolean {
  const names = new Set([...Object.keys(left), ...Object.keys(right)])
  return [...names].every((name) => left[name] === right[name])
}
