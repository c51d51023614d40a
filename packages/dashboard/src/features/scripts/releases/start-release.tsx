/** Releases a version on a channel. */
import { v1ReleasesStart } from '@scriptward/sdk'
import { useFormErrors } from '../../../components/fields/form-errors.ts'
import { SelectField } from '../../../components/fields/select-field.tsx'
import { useKept, useKeptState } from '../../../components/fields/use-kept.ts'
import { FormDialog } from '../../../components/overlays/dialog.tsx'
import { useToast } from '../../../components/overlays/toasts.tsx'
import { text } from '../../../messages/text.ts'
import { useCall, useChange } from '../../../queries/api.ts'
import { type Script, useVersions } from '../queries.ts'
import { STABLE, useChannels, useOpenReleases } from './queries.ts'
import { rampBody, rampErrors, USUAL } from './ramp.ts'
import { RampFields } from './ramp-fields.tsx'

const t = text.releases

type Props = {
  readonly script: Script
  /** The version to release. If omitted, the form offers all versions. */
  readonly version?: number
  readonly onClose: () => void
}

export function StartRelease({ script, version: fixed, onClose }: Props) {
  const versions = useVersions(script.id).rows.map(({ version }) => version)
  const kept = useKept('release', `${script.id} ${fixed ?? ''}`)
  const [chosen, setChosen] = useKeptState(kept, 'version', fixed)
  const version = chosen ?? versions.find((each) => each !== script.version) ?? script.version
  const [channel, setChannel] = useKeptState(kept, 'channel', STABLE)
  const [ramp, setRamp] = useKeptState(kept, 'ramp', USUAL)
  const start = useStart(script, () => kept.forget(onClose))
  const errors = useFormErrors(start.error)
  const submit = () => {
    if (!errors.check(rampErrors(ramp))) return
    start.mutate({ version, body: { channel, guard: ramp.guard, ...rampBody(ramp) } })
  }
  const versionError = errors.of('version')
  return (
    <FormDialog
      kept={kept}
      title={fixed === undefined ? t.startTitle : t.startTitleOf(fixed)}
      submit={t.startSubmit}
      isPending={start.isPending}
      error={errors.rest}
      onClose={onClose}
      onSubmit={submit}
    >
      {fixed === undefined && (
        <SelectField
          label={t.version}
          error={versionError}
          options={versions.map((n) => [String(n), versionTitle(script, n)])}
          value={version}
          onChange={(event) => setChosen(Number(event.target.value))}
        />
      )}
      <ChannelField
        script={script}
        channel={channel}
        error={errors.of('channel') ?? (fixed === undefined ? undefined : versionError)}
        onChange={setChannel}
      />
      <RampFields ramp={ramp} onChange={setRamp} errorOf={errors.of} />
    </FormDialog>
  )
}

export function versionTitle(script: Script, n: number): string {
  return n === script.version ? t.liveOption(n) : text.scripts.versionOf(n)
}

type Order = {
  readonly version: number
  readonly body: NonNullable<Parameters<typeof v1ReleasesStart>[0]['body']>
}

function useStart(script: Script, onClose: () => void) {
  const call = useCall()
  const showToast = useToast()
  return useChange(async ({ version, body }: Order) => {
    const path = { script_id: script.id, n: version }
    const { release } = (await v1ReleasesStart({ ...call, path, body })).data
    showToast({ title: t.startedToast(version, release.percent) })
    onClose()
  })
}

type ChannelProps = {
  readonly script: Script
  readonly channel: string
  readonly error: string | undefined
  readonly onChange: (channel: string) => void
}

function ChannelField({ script, channel, error, onChange }: ChannelProps) {
  const channels = useChannels(script.id).data ?? [{ name: STABLE, version: script.version }]
  const replaced = useOpenReleases(script.id).data?.find((release) => release.channel === channel)
  return (
    <SelectField
      label={t.channel}
      error={error}
      hint={replaced && t.replaces(replaced.version)}
      options={channels.map(({ name, version }) => [name, t.channelOption(name, version)])}
      value={channel}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}
