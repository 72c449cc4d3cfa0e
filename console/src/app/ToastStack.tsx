import { Notifications } from "@mantine/notifications";

export default function ToastStack() {
  return <Notifications position="bottom-right" />;
}
