# SPDX-License-Identifier: Apache-2.0
"""Synchronous training on all pods of a StatefulSet. Each pod runs this file; TF_CONFIG, which TensorFlow reads by
itself, tells it who it is. Run alone, without TF_CONFIG, it trains alone.
"""

import os
import pathlib
import signal
import tempfile

# Keras 3 can't fit under MultiWorkerMirroredStrategy. Read when TensorFlow is imported.
os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")

import sklearn.datasets
import tensorflow as tf

OUTPUT = pathlib.Path(os.environ.get("OUTPUT", "output"))  # on storage that all pods share, another for each training
EPOCHS = int(os.environ.get("EPOCHS", "3"))
DONE = OUTPUT / "done"
BATCH = 64  # of each worker


def load_data():
    """Handwritten digits, 8 by 8 pixels; put your data here. It has the form of MNIST, which fits as it is:
    `return tf.keras.datasets.mnist.load_data()`.
    """
    digits = sklearn.datasets.load_digits()
    images, labels = digits.images, digits.target
    return (images[:1500], labels[:1500]), (images[1500:], labels[1500:])


def make_dataset(images, labels, batch):
    """The same in all pods, thanks to the seed; DATA splits each batch among them."""
    options = tf.data.Options()
    options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.DATA
    dataset = tf.data.Dataset.from_tensor_slices(((images / images.max()).astype("float32"), labels))
    return dataset.shuffle(len(images), seed=1).batch(batch).with_options(options)


def make_model(shape):
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Input(shape=shape),
            tf.keras.layers.Flatten(),
            tf.keras.layers.Dense(128, activation="relu"),
            tf.keras.layers.Dense(10),
        ]
    )
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(optimizer="adam", loss=loss, metrics=["accuracy"])
    return model


def is_chief(resolver):
    """The one whose model counts: the chief, or worker 0 where there is none, or the only one."""
    if resolver.task_type == "worker" and "chief" not in resolver.cluster_spec().jobs:
        return resolver.task_id == 0
    return resolver.task_type in (None, "", "chief")


def end_at_sigterm():
    """The first process of a container is spared by SIGTERM unless it asks for it."""
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))


def idle():
    """A pod of a StatefulSet that ends is started again, so a finished one waits until it is deleted."""
    end_at_sigterm()
    print("training is done", flush=True)
    while True:
        signal.pause()


def main():
    if DONE.exists():
        idle()
    OUTPUT.mkdir(parents=True, exist_ok=True)
    # Before any other use of TensorFlow.
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    end_at_sigterm()  # the strategy has put a handler of its own there
    print(f"replicas in sync: {strategy.num_replicas_in_sync}", flush=True)
    batch = BATCH * strategy.num_replicas_in_sync
    train, test = load_data()
    with strategy.scope():
        model = make_model(train[0].shape[1:])
    model.fit(
        make_dataset(*train, batch).repeat(),  # without repeat() the steps run out
        validation_data=make_dataset(*test, batch),
        epochs=EPOCHS,
        steps_per_epoch=70,
        verbose=2,
        # Where one pod dies the others do too; all are started again, and go on with the epoch that was interrupted.
        callbacks=[tf.keras.callbacks.BackupAndRestore(str(OUTPUT / "backup"))],
    )
    # All pods save, as saving takes part of all of them; the model of the chief is kept.
    chief = is_chief(strategy.cluster_resolver)
    model.save(str(OUTPUT / "model" if chief else pathlib.Path(tempfile.mkdtemp()) / "model"))
    if chief:
        DONE.touch()
    idle()


if __name__ == "__main__":
    main()
