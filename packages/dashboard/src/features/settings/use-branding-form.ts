/** Holds the branding form's state and saves its changes. */
import { v1BrandingEdit } from '@scriptward/sdk'
import { useMemo } from 'react'
import { useWatch } from 'react-hook-form'
import { useFormErrors } from '../../components/fields/form-errors.ts'
import { showSaved, useKeptForm } from '../../components/fields/use-kept.ts'
import { useToast } from '../../components/overlays/toasts.tsx'
import { text } from '../../messages/text.ts'
import { useCall, useChange } from '../../queries/api.ts'
import { useProject } from '../../queries/projects.ts'
import { type Branding, changesIn, type Draft, draftOf } from './branding-draft.ts'

const COLOR = /^(#[0-9a-fA-F]{6})?$/

export function useBrandingForm(saved: Branding) {
  const call = useCall()
  const showToast = useToast()
  const { id } = useProject()
  const form = useKeptForm<Draft>('branding', {
    values: draftOf(saved),
    resetOptions: { keepDirtyValues: true },
  })
  const draft = useWatch({ control: form.control }) as Draft
  const changes = useMemo(() => changesIn(draft, saved), [draft, saved])
  const save = useChange(async (given: Draft) => {
    const body = changesIn(given, saved)
    const { data } = await v1BrandingEdit({ ...call, path: { project_id: id }, body })
    showSaved(form, given, draftOf(data.branding))
    showToast({ title: text.settings.brandSaved })
  })
  const errors = useFormErrors(save.error)
  const submit = form.handleSubmit((given) => {
    const accent = COLOR.test(given.accent.trim()) ? undefined : text.settings.accentWrong
    if (errors.check({ accent })) save.mutate(given)
  })
  return { form, changes, isDirty: Object.keys(changes).length > 0, save, submit, errors }
}
