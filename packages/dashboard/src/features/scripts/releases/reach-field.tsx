/**
 * Chooses the audience for an upload: the default from the script's settings, everyone, or a percentage of
 * customers.
 */
import { Field } from '../../../components/fields/field.tsx'
import { SelectField } from '../../../components/fields/select-field.tsx'
import { text } from '../../../messages/text.ts'
import type { Script } from '../queries.ts'
import { percentIn } from './ramp.ts'

const t = text.releases

export type Reach = { readonly to: keyof typeof t.toOptions; readonly percent: string }

export const USUAL_REACH: Reach = { to: 'default', percent: '10' }

type Props = {
  readonly script: Script
  readonly reach: Reach
  readonly isChecked: boolean
  readonly onChange: (reach: Reach) => void
}

export function ReachField({ script, reach, isChecked, onChange }: Props) {
  const hint = reach.to === 'default' ? t.toHints.default(script.staged_releases) : t.toHints[reach.to]
  return (
    <div className="row top">
      <SelectField
        label={t.to}
        hint={hint}
        options={Object.entries(t.toOptions)}
        value={reach.to}
        onChange={(event) => onChange({ ...reach, to: event.target.value as Reach['to'] })}
      />
      {reach.to === 'share' && (
        <Field
          label={t.percent}
          error={isChecked && !isReachRight(reach) ? t.percentWrong : undefined}
          inputMode="numeric"
          autoComplete="off"
          value={reach.percent}
          onChange={(event) => onChange({ ...reach, percent: event.target.value })}
        />
      )}
    </div>
  )
}

export function isReachRight({ to, percent }: Reach): boolean {
  return to !== 'share' || percentIn(percent) !== undefined
}

/** Returns the request fields that decide who gets the uploaded version. */
export function reachBody({ to, percent }: Reach) {
  if (to === 'default') return {}
  return { release: { percent: to === 'all' ? 100 : (percentIn(percent) ?? 100) } }
}

/** @param share percentage of customers that a release starts with; omitted without a release */
export function reachText(version: number, share = 100): string {
  return share === 100 ? t.uploadedToAll(version) : t.uploadedToSome(version, share)
}
