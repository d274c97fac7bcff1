"""Synchronous training on all pods of a StatefulSet. Each pod runs this file; TF_CONFIG tells it who it is.

Run alone, without TF_CONFIG, it trains alone.
"""

import os
import pathlib
import signal
import tempfile

# Keras 3 can't fit under MultiWorkerMirroredStrategy. Read when TensorFlow is imported.
os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")

import numpy as np
import tensorflow as tf

OUTPUT = pathlib.Path(os.environ.get("OUTPUT", "output"))  # on storage that all pods share
EPOCHS = int(os.environ.get("EPOCHS", "10"))
DONE = OUTPUT / "done"
BATCH = 64  # of all workers together


def end_at_sigterm():
    """The first process of a container is spared by SIGTERM unless it asks for it."""
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))


def idle():
    """A pod of a StatefulSet that ends is started again, so a finished one waits until it is deleted."""
    end_at_sigterm()
    print("training is done", flush=True)
    while True:
        signal.pause()


def is_chief(resolver):
    """The one whose model counts: the chief, or worker 0 where there is none, or the only one."""
    if resolver.task_type == "worker" and "chief" not in resolver.cluster_spec().jobs:
        return resolver.task_id == 0
    return resolver.task_type in (None, "", "chief")


def make_dataset():
    """Points in five classes; put your data here. The seed makes it the same in all pods, DATA splits it among them."""
    random = np.random.default_rng(seed=1)
    points = random.normal(size=(10_000, 16)).astype("float32")
    classes = np.argmax(points @ random.normal(size=(16, 5)), axis=1)
    options = tf.data.Options()
    options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.DATA
    dataset = tf.data.Dataset.from_tensor_slices((points, classes)).shuffle(10_000, seed=1)
    return dataset.repeat().batch(BATCH).with_options(options)  # without repeat() the steps run out


def make_model():
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Input(shape=(16,)),
            tf.keras.layers.Dense(32, activation="relu"),
            tf.keras.layers.Dense(5),
        ]
    )
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(optimizer="adam", loss=loss, metrics=["accuracy"])
    return model


def main():
    if DONE.exists():
        idle()
    OUTPUT.mkdir(parents=True, exist_ok=True)
    # Before any other use of TensorFlow.
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    end_at_sigterm()  # the strategy has put a handler of its own there
    chief = is_chief(strategy.cluster_resolver)
    with strategy.scope():
        model = make_model()
    # Where one pod dies the others do too; all are started again, and go on with the epoch that was interrupted.
    backup = tf.keras.callbacks.BackupAndRestore(str(OUTPUT / "backup"))
    model.fit(make_dataset(), epochs=EPOCHS, steps_per_epoch=100, callbacks=[backup], verbose=2)
    # All pods save, as saving takes part of all of them; the model of the chief is kept.
    model.save(str(OUTPUT / "model" if chief else pathlib.Path(tempfile.mkdtemp()) / "model"))
    if chief:
        DONE.touch()
    idle()


if __name__ == "__main__":
    main()
