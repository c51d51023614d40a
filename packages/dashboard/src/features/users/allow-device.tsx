/** Makes room for a denied device: raises the key's device limit, or removes one of its devices. */
import { v1UserDevicesRemove, v1UsersEdit } from '@scriptward/sdk'
import { useState } from 'react'
import { Check, ChoiceGroup } from '../../components/fields/choice-group.tsx'
import { FormDialog } from '../../components/overlays/dialog.tsx'
import { useToast } from '../../components/overlays/toasts.tsx'
import { text } from '../../messages/text.ts'
import { useCall, useChange } from '../../queries/api.ts'
import { usePlans } from '../../queries/plans.ts'
import { nameOfDevice } from './device-name.ts'
import type { Device, User } from './user.ts'

type Props = {
  readonly user: User
  readonly devices: readonly Device[]
  readonly name: string
  readonly onClose: () => void
}

const MAX_DEVICES = 20
const ADD = 'add'
/** Value that makes the plan's limit apply. */
const OF_PLAN = -1

export function AllowDevice({ user, devices, name, onClose }: Props) {
  const t = text.devices
  const plan = usePlans().data?.find(({ id }) => id === user.plan_id)
  const limit = user.max_devices ?? plan?.max_devices ?? 1
  const mayAdd = limit < MAX_DEVICES
  const [chosen, setChosen] = useState<string>()
  const way = chosen ?? (mayAdd ? ADD : devices[0]?.id)
  const allow = useAllow(user, limit, onClose)
  return (
    <FormDialog
      title={t.allowTitle(name)}
      submit={t.allow}
      isPending={allow.isPending}
      error={allow.error}
      onClose={onClose}
      onSubmit={() => way !== undefined && allow.mutate(way)}
    >
      <ChoiceGroup legend={t.allowHow}>
        {mayAdd && (
          <Check
            radio="way"
            label={t.allowAdd(limit, limit + 1)}
            checked={way === ADD}
            onChange={() => setChosen(ADD)}
          />
        )}
        {devices.map((device) => (
          <Check
            key={device.id}
            radio="way"
            label={<bdi>{t.allowReplace(nameOfDevice(device))}</bdi>}
            checked={way === device.id}
            onChange={() => setChosen(device.id)}
          />
        ))}
      </ChoiceGroup>
      <p className="hint">{t.allowWords}</p>
    </FormDialog>
  )
}

function useAllow(user: User, limit: number, onClose: () => void) {
  const call = useCall()
  const showToast = useToast()
  const path = { user_key: user.key }
  const setLimit = useChange((max_devices: number) => v1UsersEdit({ ...call, path, body: { max_devices } }))
  return useChange(async (way: string) => {
    if (way === ADD) {
      await v1UsersEdit({ ...call, path, body: { max_devices: limit + 1 } })
      showToast({
        title: text.devices.allowed,
        undo: () => setLimit.mutateAsync(user.max_devices ?? OF_PLAN),
      })
    } else {
      await v1UserDevicesRemove({ ...call, path: { ...path, device_id: way }, body: { force: false } })
      showToast({ title: text.devices.allowed })
    }
    onClose()
  })
}
