/** Dialogs that name or remove a user's device. */
import { v1UserDevicesName, v1UserDevicesRemove } from '@scriptward/sdk'
import { useState } from 'react'
import { Check } from '../../components/fields/choice-group.tsx'
import { Field } from '../../components/fields/field.tsx'
import { useFormErrors } from '../../components/fields/form-errors.ts'
import { useKept, useKeptState } from '../../components/fields/use-kept.ts'
import { FormDialog } from '../../components/overlays/dialog.tsx'
import { useToast } from '../../components/overlays/toasts.tsx'
import { text } from '../../messages/text.ts'
import { useCall, useChange } from '../../queries/api.ts'
import { nameOfDevice } from './device-name.ts'
import type { Device, User } from './user.ts'

const t = text.devices
const MAX_NAME_LENGTH = 60
type Props = { readonly user: User; readonly device: Device; readonly onClose: () => void }

export function DeviceName({ user, device, onClose }: Props) {
  const call = useCall()
  const showToast = useToast()
  const kept = useKept('device-name', device.id)
  const [name, setName] = useKeptState(kept, 'name', device.name ?? '')
  const save = useChange(async (given: string) => {
    await v1UserDevicesName({ ...call, path: pathOf(user, device), body: { name: given } })
    showToast({ title: t.named })
    kept.forget(onClose)
  })
  const errors = useFormErrors(save.error, {})
  const submit = () => {
    const wrong = [...name.trim()].length > MAX_NAME_LENGTH ? t.nameWrong : undefined
    if (errors.check({ name: wrong })) save.mutate(name.trim())
  }
  return (
    <FormDialog
      kept={kept}
      title={t.renameTitle}
      submit={t.save}
      isPending={save.isPending}
      error={errors.rest}
      onClose={onClose}
      onSubmit={submit}
    >
      <Field
        label={t.name}
        dir="auto"
        autoComplete="off"
        error={errors.of('name')}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
    </FormDialog>
  )
}

export function DeviceRemoval({ user, device, onClose }: Props) {
  const call = useCall()
  const showToast = useToast()
  const [force, setForce] = useState(false)
  const remove = useChange(async () => {
    await v1UserDevicesRemove({ ...call, path: pathOf(user, device), body: { force } })
    showToast({ title: t.removed })
    onClose()
  })
  return (
    <FormDialog
      title={t.removeTitle(nameOfDevice(device))}
      submit={t.remove}
      isDanger
      isPending={remove.isPending}
      error={remove.error}
      onClose={onClose}
      onSubmit={() => remove.mutate(undefined)}
    >
      <p>{t.removeWords}</p>
      <Check label={t.force} checked={force} onChange={setForce} />
    </FormDialog>
  )
}

function pathOf(user: User, device: Device) {
  return { user_key: user.key, device_id: device.id }
}
