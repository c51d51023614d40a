/** Edits an open release's percentage, pace or guard. */
import { useState } from 'react'
import { useFormErrors } from '../../../components/fields/form-errors.ts'
import { useKept, useKeptState } from '../../../components/fields/use-kept.ts'
import { FormDialog } from '../../../components/overlays/dialog.tsx'
import { useToast } from '../../../components/overlays/toasts.tsx'
import { text } from '../../../messages/text.ts'
import { useChange } from '../../../queries/api.ts'
import type { Script } from '../queries.ts'
import { type Release, useEditOf } from './queries.ts'
import { percentIn, type Ramp, rampBody, rampErrors, USUAL } from './ramp.ts'
import { RampFields } from './ramp-fields.tsx'

const t = text.releases

type Props = { readonly script: Pick<Script, 'id'>; readonly release: Release; readonly onClose: () => void }

export function ChangeRelease({ script, release, onClose }: Props) {
  // The release can grow while the form is open, so changes are found by comparing with the initial values.
  const [before] = useState(() => rampOf(release))
  const kept = useKept('release-change', release.id)
  const [ramp, setRamp] = useKeptState(kept, 'ramp', before)
  const edit = useEditOf(script.id, release)
  const showToast = useToast()
  const isMoved = (['pace', 'percent', 'amount', 'unit'] as const).some((each) => ramp[each] !== before[each])
  const save = useChange(async () => {
    const isGuardSame = ramp.guard === before.guard
    const body = { ...(!isGuardSame && { guard: ramp.guard }), ...(isMoved && rampBody(ramp)) }
    if (Object.keys(body).length > 0) await edit(body)
    showToast({ title: t.changed })
    kept.forget(onClose)
  })
  const errors = useFormErrors(save.error)
  const isLowered = ramp.pace !== 'all' && (percentIn(ramp.percent) ?? 100) < release.percent
  return (
    <FormDialog
      kept={kept}
      title={t.changeTitle(release.version)}
      submit={text.save}
      isPending={save.isPending}
      error={errors.rest}
      onClose={onClose}
      onSubmit={() => errors.check(rampErrors(ramp)) && save.mutate(undefined)}
    >
      <RampFields
        ramp={ramp}
        onChange={setRamp}
        errorOf={errors.of}
        hint={isMoved || release.steps.length === 0 ? undefined : t.keepsSteps}
      />
      {isLowered && <p className="notice warn">{t.lowered(release.version_before)}</p>}
    </FormDialog>
  )
}

function rampOf({ percent, steps, guard }: Release): Ramp {
  const pace = percent === 100 ? 'all' : steps.length > 0 ? 'steps' : 'share'
  return { ...USUAL, pace, percent: String(percent), guard }
}
