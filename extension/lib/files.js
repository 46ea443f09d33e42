// Captured pages that wait to be sent. They may be larger than what storage.local takes.

const STORE = "files";

function open() {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open("kept", 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

async function withStore(mode, use) {
  const database = await open();
  try {
    return await new Promise((resolve, reject) => {
      const transaction = database.transaction(STORE, mode);
      const request = use(transaction.objectStore(STORE));
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = () => reject(transaction.error);
    });
  } finally {
    database.close();
  }
}

export async function putFile(id, blob) {
  await withStore("readwrite", (store) => store.put(blob, id));
}

export async function findFile(id) {
  return (await withStore("readonly", (store) => store.get(id))) ?? null;
}

export async function removeFile(id) {
  await withStore("readwrite", (store) => store.delete(id));
}

export async function listFileIds() {
  return withStore("readonly", (store) => store.getAllKeys());
}
