/**
 * A step's link: created through the network's API if possible; otherwise, the URL to paste on the network's
 * site.
 */
import { v1AdCheckpointsCreateLink } from '@scriptward/sdk'
import type { UseFormReturn } from 'react-hook-form'
import { ErrorMessage } from '../../components/error-message.tsx'
import { Field } from '../../components/fields/field.tsx'
import { SelectField } from '../../components/fields/select-field.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { when } from '../../lib/when.ts'
import { adsText as t } from '../../messages/en/ads.ts'
import { useCall, useChange } from '../../queries/api.ts'
import { ProviderAddresses } from './provider-addresses.tsx'
import { type Draft, membersIn } from './provider-draft.ts'
import { type Checkpoint, type Setting, usePrepared } from './queries.ts'

export type LinkMaking = ReturnType<typeof useCreateLink>

/** Creates the link with the settings of the form. */
export function useCreateLink(systemId: string, form: UseFormReturn<Draft>) {
  const call = useCall()
  return useChange(async (settings: readonly Setting[]) => {
    const draft = form.getValues()
    const { provider, provider_data } = membersIn(draft, settings)
    const path = { system_id: systemId }
    const body = { provider, provider_data, ad_tier: Number(draft.adTier), tasks: Number(draft.tasks) }
    const { data } = await v1AdCheckpointsCreateLink({ ...call, path, body })
    form.setValue('url', data.url)
  })
}

type Props = {
  readonly systemId: string
  readonly network: string
  readonly checkpoint: Checkpoint | undefined
  readonly form: UseFormReturn<Draft>
  readonly errorOf: (field: string) => string | undefined
  /** Absent if the network's API can't create links. */
  readonly making: { readonly link: LinkMaking; readonly onCreate: () => void } | undefined
}

export function LinkSection({ systemId, network, checkpoint, form, errorOf, making }: Props) {
  const { register, watch } = form
  const provider = watch('provider')
  return (
    <section className="stack tight">
      <h3>{t.linkAt(network)}</h3>
      {making && <LinkMaker making={making} register={register} network={network} />}
      {checkpoint ? (
        <>
          <ProviderAddresses provider={provider} network={network} addresses={checkpoint} />
          {provider !== checkpoint.provider && <p className="notice warn">{t.newPostback}</p>}
        </>
      ) : (
        <Prepared systemId={systemId} provider={provider} network={network} />
      )}
      <Field
        label={t.link}
        hint={t.linkHint(network)}
        error={errorOf('url')}
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        {...register('url')}
      />
    </section>
  )
}

type MakerProps = Required<Pick<Props, 'making' | 'network'>> & Pick<UseFormReturn<Draft>, 'register'>

function LinkMaker({ making, register, network }: MakerProps) {
  if (making === undefined) return null
  const { link, onCreate } = making
  return (
    <>
      <div className="row top">
        <SelectField label={t.adTier} options={Object.entries(t.adTiers)} {...register('adTier')} />
        <SelectField
          label={t.tasks}
          options={['1', '2', '3', '4', '5'].map((count) => [count, count] as const)}
          {...register('tasks')}
        />
      </div>
      <div className="bar">
        <button type="button" disabled={link.isPending} onClick={onCreate}>
          {link.isPending ? t.creatingLink : t.createLink(network)}
        </button>
      </div>
      {link.isSuccess && (
        <p className="notice good" role="status">
          {t.linkCreated(network)}
        </p>
      )}
      <ErrorMessage of={link.error} />
    </>
  )
}

type PreparedProps = Pick<Props, 'systemId' | 'network'> & { readonly provider: Draft['provider'] }

function Prepared({ systemId, provider, network }: PreparedProps) {
  const prepared = usePrepared(systemId)
  return (
    <QueryBoundary query={prepared}>
      {prepared.data && (
        <>
          <ProviderAddresses provider={provider} network={network} addresses={prepared.data} />
          <p className="hint">{t.expires(when(prepared.data.expires_at))}</p>
        </>
      )}
    </QueryBoundary>
  )
}
